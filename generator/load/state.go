// This file reads the state of an index, makes it, and decides what to do with an existing one.

package load

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"contentedge/edgeserve/engine/cluster/layout"
	"contentedge/edgeserve/wire/clusterhttp"
)

// maxStates bounds the states of all indices, in bytes: some 100,000 indices.
const maxStates = 64 << 20

// states reads the states of the indices that a path names.
func (c cluster) states(ctx context.Context, path string) ([]layout.State, error) {
	var response json.RawMessage
	query := url.Values{"filter_path": {layout.StateFields}}
	if err := c.ask(ctx, call{method: http.MethodGet, path: path, query: query, limit: maxStates}, &response); err != nil {
		return nil, err
	}
	return layout.ReadStates(response)
}

// path is the path of a request about the index.
func (e *index) path(end string) string { return "/" + url.PathEscape(e.target) + end }

// look reads the state of the index, or returns nil for a missing index.
func (e *index) look(ctx context.Context) (*layout.State, error) {
	found, err := e.cluster.states(ctx, "/"+url.PathEscape(e.name))
	if isMissing(err) || err == nil && len(found) == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if len(found) != 1 || found[0].Name != e.name {
		return nil, fmt.Errorf("%s is an alias of %s: the index needs this name", e.name, found[0].Name)
	}
	return &found[0], nil
}

// define sets how the index has to be. Without a number of shards it keeps the one that it has.
func (e *index) define(found *layout.State) error {
	e.shards = max(1, e.Shards)
	if e.Shards == 0 && found != nil && found.Meta != nil && found.Meta.Shards > 0 {
		e.shards = found.Meta.Shards
	}
	long, ties, err := e.longTexts(found)
	if err != nil {
		return err
	}
	plain, err := json.Marshal(layout.Definition(*e.env, layout.Meta{Long: long}, 1))
	if err != nil {
		return err
	}
	e.documents = layout.NewDocuments(e.env.Fields, long...)
	digest := sha256.Sum256(plain)
	e.want = layout.Meta{
		Format: layout.Format, Environment: e.env.ID, Build: e.manifest.Build, Snapshot: e.env.Snapshot.SHA256,
		Items: e.env.Items, Shards: e.shards, Checksum: hex.EncodeToString(digest[:]), Long: long, Ties: ties,
	}
	e.report.Shards = e.shards
	return nil
}

const (
	// aliasMark is the part between the name and the random digits, in the alias of an index that is being filled.
	aliasMark = "-load-"
	// aliasBytes is how many random bytes these digits encode: two aliases of an index are never equal.
	aliasBytes = 8
)

// newAlias returns an alias that no index had before. All requests that change an index that is being filled go to such
// an alias, so they never reach an index of the same name that another program recreated.
func (e *index) newAlias() string {
	random := make([]byte, aliasBytes)
	_, _ = rand.Read(random) // it never fails
	return e.name + aliasMark + hex.EncodeToString(random)
}

// aliasOf returns the alias of an index that is being filled, or "".
func (e *index) aliasOf(found *layout.State) string {
	for _, a := range found.Aliases {
		if strings.HasPrefix(a, e.name+aliasMark) {
			return a
		}
	}
	return ""
}

// action is the step that a load takes for an index.
type action int

const (
	makeIndex action = iota // the index does not exist
	remake                  // remove it first
	goOn                    // it is not complete
	keep                    // it is complete
)

// String says it.
func (a action) String() string {
	return [...]string{"load", "remove the index and load", "continue", Kept}[a]
}

// decide says what to do with an index.
func (e *index) decide(found *layout.State) (action, error) {
	if found == nil {
		return makeIndex, nil
	}
	if found.Meta == nil {
		return 0, fmt.Errorf("the index %s was not made by generator load: remove it, or give the environment another name", e.name)
	}
	is, complete := *found.Meta, found.Complete()
	is.Complete = false
	switch {
	case e.replace:
		return remake, nil
	case is.Equal(&e.want) && complete:
		return keep, nil
	case is.Equal(&e.want):
		return goOn, nil
	case complete:
		return 0, fmt.Errorf("the index %s is complete, but differs (%s): --replace recreates it; until it is complete, edges that search it answer 503", e.name, differs(is, e.want))
	}
	if e.began {
		return 0, fmt.Errorf("%w: another load makes the index %s otherwise (%s): let one end first", errChanged, e.name, differs(is, e.want))
	}
	e.warn(fmt.Sprintf("the index %s is not complete and differs (%s): it is recreated", e.name, differs(is, e.want)))
	return remake, nil
}

// differs names what differs between two releases in an index.
func differs(is, want layout.Meta) string {
	var all []string
	for _, m := range []struct {
		name     string
		is, want any
	}{
		{"format", is.Format, want.Format}, {"environment", is.Environment, want.Environment}, {"build", is.Build, want.Build}, {"items", is.Items, want.Items},
		{"shards", is.Shards, want.Shards}, {"snapshot", is.Snapshot, want.Snapshot}, {"mapping", is.Checksum, want.Checksum},
		{"paths of long texts", fmt.Sprintf("%.200q", is.Long), fmt.Sprintf("%.200q", want.Long)}, {"equal beginnings of texts", fmt.Sprintf("%.200q", is.Ties), fmt.Sprintf("%.200q", want.Ties)},
	} {
		if m.is != m.want {
			all = append(all, fmt.Sprintf("%s %v, not %v", m.name, m.is, m.want))
		}
	}
	return strings.Join(all, "; ")
}

// errExists is the type of the error for an index that exists already.
const errExists = "resource_already_exists_exception"

// create makes the index. It removes the one that was found, if there was one.
func (e *index) create(ctx context.Context, found *layout.State) error {
	path := "/" + url.PathEscape(e.name)
	if found != nil {
		if err := e.cluster.ask(ctx, call{method: http.MethodDelete, path: path}, nil); err != nil && !isMissing(err) {
			return err
		}
		e.replace = false
	}
	e.target = e.newAlias()
	definition := layout.Definition(*e.env, e.want, e.shards)
	definition["aliases"] = map[string]any{e.target: struct{}{}}
	err := e.cluster.put(ctx, http.MethodPut, path, definition, nil)
	if isStatus(err, http.StatusBadRequest, errExists) {
		return errChanged // another load, or an attempt whose response was lost
	}
	if err != nil {
		return err
	}
	return e.available(ctx)
}

// available waits until the shards of the index have nodes. A node may acknowledge an index whose shards have no node.
func (e *index) available(ctx context.Context) error {
	deadline := time.Now().Add(e.MaxWait)
	for wait := firstPoll; ; wait = nextPoll(wait) {
		h, err := e.health(ctx)
		switch {
		case err != nil:
			return err
		case h.Status == "yellow" || h.Status == "green":
			return nil
		case time.Now().After(deadline):
			return e.unallocated(ctx)
		}
		if err := pause(ctx, wait); err != nil {
			return err
		}
	}
}

// health is a part of what a cluster says about its health.
type health struct {
	Status       string
	DataNodes    int `json:"number_of_data_nodes"`
	Initializing int `json:"initializing_shards"`
	Relocating   int `json:"relocating_shards"`
}

// health returns the health of the index.
func (e *index) health(ctx context.Context) (h health, err error) {
	var response []byte
	r := call{method: http.MethodGet, path: "/_cluster/health" + e.path("")}
	err = e.cluster.again(ctx, maxAttempts, func() (err error) {
		if response, err = e.cluster.once(ctx, r, response[:0]); isStatus(err, http.StatusRequestTimeout, "") {
			return errChanged // the response says that the index does not exist
		}
		return err
	})
	if err != nil {
		return h, fmt.Errorf("GET %s: %w", r.path, err)
	}
	return h, json.Unmarshal(response, &h)
}

// unallocated returns an error that says why no node takes a shard.
func (e *index) unallocated(ctx context.Context) error {
	var why struct {
		Explanation string `json:"allocate_explanation"`
		Nodes       []struct {
			Deciders []struct{ Decider, Explanation string }
		} `json:"node_allocation_decisions"`
	}
	err := e.cluster.put(ctx, http.MethodGet, "/_cluster/allocation/explain", map[string]any{"index": e.name, "shard": 0, "primary": true}, &why)
	text := why.Explanation
	for _, n := range why.Nodes {
		for _, d := range n.Deciders {
			if !strings.Contains(text, d.Explanation) {
				text += "; " + d.Decider + ": " + d.Explanation
			}
		}
	}
	return errors.Join(fmt.Errorf("no node takes the shards of the index %s: %s", e.name, e.Client.Printable(text, 2*clusterhttp.MaxReason)), err)
}
