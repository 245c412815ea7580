// Package atcluster serves a release whose items are searched by a cluster instead of snapshots on this machine. It
// says when a release may be served so, and makes its evaluators:
//
//	the manifest of a release → its indices are complete (Open) → answer.Release with an evaluator for each environment
//	a search       → the index of the environment
//	an item by id  → a file of the release → --items-at → the index
//
// Package cluster evaluates, and package clusternodes asks the nodes. See edgeserve/CLUSTER.md.
package atcluster

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"contentedge/edgeserve/engine/answer"
	"contentedge/edgeserve/engine/cluster"
	"contentedge/edgeserve/engine/cluster/layout"
	"contentedge/edgeserve/engine/elastic"
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/parallel"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/releasedir"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/prometheus"
	"contentedge/edgeserve/serve/admission"
	"contentedge/edgeserve/serve/clusternodes"
	"contentedge/edgeserve/wire/release"
)

const (
	// openTime limits the questions about the indices of a release, with indexTime for each: both are far above what a
	// cluster needs that is not overloaded. Another attempt follows when they are over.
	openTime, indexTime = 20 * time.Second, 50 * time.Millisecond
	// openJobs is how many indices are asked about at once: fewer than a node answers in addition to searches.
	openJobs = 4
)

// Nodes are the nodes of a cluster, as package clusternodes asks them.
type Nodes interface {
	cluster.Transport
	State() clusternodes.State
	WriteMetrics(t *prometheus.Text)
}

// Cluster is where the searches of a node are evaluated.
type Cluster struct {
	Nodes Nodes
	Items *ItemStore // nil if items that are not files on this machine come from the indices
	// Exact refuses searches whose results would be approximate.
	Exact bool
}

// Open returns the evaluators of a release, once each environment has a complete and searchable index. It reports all
// environments without one.
func (c *Cluster) Open(ctx context.Context, d *releasedir.Dir) (*answer.Release, error) {
	ctx, cancel := context.WithTimeout(ctx, openTime+time.Duration(len(d.Manifest.Environments))*indexTime)
	defer cancel()
	envs := d.Manifest.Environments
	indices, errs := make([]*elastic.Index, len(envs)), make([]error, len(envs))
	_ = parallel.Each(ctx, openJobs, len(envs), func(_, i int) error {
		if indices[i], errs[i] = c.openIndex(ctx, d, &envs[i]); errs[i] != nil {
			errs[i] = fmt.Errorf("environment %s: %w", envs[i].ID, errs[i])
		}
		if errors.Is(errs[i], cluster.ErrUnavailable) || ctx.Err() != nil {
			return errs[i] // the cluster says nothing about the others either
		}
		return nil
	})
	if err := releasedir.Join(errs...); err != nil {
		return nil, err
	}
	v := &answer.Release{Manifest: d.Manifest, Environments: make(map[string]*elastic.Index, len(envs)), HasFile: d.HasFile}
	for i := range envs {
		if indices[i] == nil {
			return nil, ctx.Err()
		}
		v.Environments[envs[i].ID] = indices[i]
	}
	return v, nil
}

// openIndex returns the evaluator of an environment whose index is complete.
func (c *Cluster) openIndex(ctx context.Context, d *releasedir.Dir, env *release.Environment) (*elastic.Index, error) {
	name := layout.IndexName(env.ID, d.Build())
	state, err := c.state(ctx, name)
	if err == nil {
		err = check(state, d, env)
	}
	if err != nil {
		return nil, fmt.Errorf("index %s: %w", name, err)
	}
	twin := d.Readers[env.ID]
	e := &evaluator{
		index: cluster.New(*env, twin, name, state.Meta.Shards, away{c.Nodes}, state.Meta.Long...).ByAlias(layout.Searched(name)).Tying(state.Meta.Ties),
		twin:  twin, env: env.ID, dir: d, cluster: c,
	}
	found, err := e.index.Search(scorer.NewWorkLimit(ctx), &query.Body{}, false)
	if err != nil {
		return nil, fmt.Errorf("index %s cannot be searched: %w", name, err)
	}
	found.Release()
	if found.Total != env.Items {
		return nil, fmt.Errorf("index %s: it has %d items instead of %d", name, found.Total, env.Items)
	}
	return &elastic.Index{Items: e, Fields: fields.Resolver{Reader: twin}}, nil
}

var errNoIndex = errors.New("it does not exist: generator load makes it from the release")

// state asks for the state of an index.
func (c *Cluster) state(ctx context.Context, name string) (*layout.State, error) {
	response, done, err := c.Nodes.Do(ctx, cluster.Request{
		Method: "GET", Path: "/" + url.PathEscape(name), Query: url.Values{"filter_path": {layout.StateFields}}, MaxResponse: layout.MaxState,
	})
	if status, ok := errors.AsType[*cluster.StatusError](err); ok && status.Status == notFound {
		return nil, errNoIndex
	}
	if err != nil {
		return nil, err
	}
	defer done()
	states, err := layout.ReadStates(response)
	if err != nil {
		return nil, err
	}
	for i := range states {
		if states[i].Name == name {
			return &states[i], nil
		}
	}
	return nil, errNoIndex
}

const notFound = 404

// check compares the state of an index with the environment whose items it is to have.
func check(s *layout.State, d *releasedir.Dir, env *release.Environment) error {
	m := s.Meta
	switch {
	case m == nil:
		return errors.New("generator load did not make it")
	case m.Format != layout.Format:
		return fmt.Errorf("its layout has version %d instead of %d: load the release with the generator of this version", m.Format, layout.Format)
	case m.Environment != env.ID || m.Build != d.Build() || m.Snapshot != env.Snapshot.SHA256 || m.Items != env.Items:
		return errors.New("it was made from another release: remove it, and load the release again")
	case m.Shards < 1:
		return errors.New("its number of shards is missing")
	case !s.Complete():
		return errors.New("it is not complete: generator load has not ended")
	case !slices.Contains(s.Aliases, layout.Searched(s.Name)):
		return fmt.Errorf("it has no alias %s: generator load adds it", layout.Searched(s.Name))
	}
	return nil
}

// away asks the nodes while the search of a request is away (admission.Away).
type away struct{ nodes cluster.Transport }

// readingShare is the share of its time that a search keeps for reading a response. So a cluster that does not answer is
// unavailable, before the search takes too long.
const readingShare = 20

// Deadline is the time that nodes have for a request of a search with a time limit: a little less than away leaves them,
// so that they count the nodes that are late.
func Deadline(search time.Duration) time.Duration { return search / readingShare * (readingShare - 2) }

var errLate = fmt.Errorf("%w, as the time of the search is nearly over: %w", cluster.ErrUnavailable, context.DeadlineExceeded)

// Do implements cluster.Transport.
func (t away) Do(ctx context.Context, r cluster.Request) (response []byte, done func(), err error) {
	search := admission.AwayOf(ctx)
	if err := search.Leave(); err != nil {
		return nil, nil, err
	}
	if end, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, time.Until(end)/readingShare*(readingShare-1), errLate)
		defer cancel()
	}
	response, done, err = t.nodes.Do(ctx, r)
	if back := search.Return(); back != nil {
		if err == nil {
			done()
		}
		return nil, nil, back
	}
	return response, done, err
}
