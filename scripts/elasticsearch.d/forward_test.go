// This file compares whole responses that an index of a cluster gives with those of a snapshot, byte for byte.
// `scripts/cluster bytes` runs it with what it needs in the process's environment; without, it skips.

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/answer"
	"contentedge/edgeserve/engine/cluster"
	"contentedge/edgeserve/engine/elastic"
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/searchtest"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/problem"
	manifest "contentedge/edgeserve/wire/release"

	"elasticsearch/compare"
	"elasticsearch/index"
	"elasticsearch/release"
)

// node is a Transport to one node.
type node struct{ url string }

// Do implements cluster.Transport.
func (n node) Do(ctx context.Context, r cluster.Request) ([]byte, func(), error) {
	target := n.url + r.Path
	if len(r.Query) > 0 {
		target += "?" + r.Query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, target, bytes.NewReader(r.Body))
	if err != nil {
		return nil, nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, nil, cluster.ErrUnavailable
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, r.MaxResponse+1))
	switch {
	case err != nil:
		return nil, nil, cluster.ErrUnavailable
	case int64(len(body)) > r.MaxResponse:
		return nil, nil, cluster.ErrTooLarge
	case res.StatusCode != 200:
		var e struct {
			Error struct {
				Type, Reason string
				RootCause    []struct{ Type, Reason string } `json:"root_cause"`
			}
		}
		json.Unmarshal(body, &e)
		status := &cluster.StatusError{Status: res.StatusCode, Type: e.Error.Type, Reason: e.Error.Reason}
		if len(e.Error.RootCause) > 0 {
			status.Type, status.Reason = e.Error.RootCause[0].Type, e.Error.RootCause[0].Reason
		}
		return nil, nil, status
	}
	return body, func() {}, nil
}

// forwarded are the answers of a release from its snapshots, and from the indices of a cluster.
type forwarded struct {
	snapshots, indices *answer.Release
	node               *index.Client
	items              map[string][]string
}

// first returns the address of a node.
func first(t *testing.T) string {
	url, _, _ := strings.Cut(setting(t, "CLUSTER_URLS"), ",")
	return url
}

// forwardIndices begins the names of the indices that are forwarded to.
const forwardIndices = "forward-"

// forward loads the corpora into a cluster.
func forward(t *testing.T) *forwarded {
	url := first(t)
	programs := release.Programs(setting(t, "ELASTICSEARCH_PROGRAMS"))
	public := filepath.Join(setting(t, "ELASTICSEARCH_WORK"), "public")
	if _, err := os.Stat(filepath.Join(public, "manifest.json")); err != nil {
		build(t, programs, public, os.Getenv("CLUSTER_SHORT") != "")
	}
	m, err := release.Read(public)
	if err != nil {
		t.Fatal(err)
	}
	c := index.New(url)
	c.Prefix, c.Once = forwardIndices, true
	f := &forwarded{node: c, items: map[string][]string{}, indices: &answer.Release{Manifest: m, Environments: map[string]*elastic.Index{}}}
	readers := map[string]*snapshot.Reader{}
	for i := range m.Environments {
		env := &m.Environments[i]
		if only := os.Getenv("ELASTICSEARCH_CORPUS"); only != "" && env.ID != only {
			continue
		}
		file := filepath.Join(public, "current", env.Snapshot.File)
		if readers[env.ID], err = snapshot.Open(file); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { readers[env.ID].Close() })
		if err := c.Load(filepath.Join(public, "current"), m.Build, *env); err != nil {
			t.Fatal(err)
		}
		r := readers[env.ID]
		twin, err := snapshot.FieldsOnly(r.Meta(), r.LeftOut(), r.FieldTypes())
		if err != nil {
			t.Fatal(err)
		}
		f.indices.Environments[env.ID] = &elastic.Index{
			Items:  cluster.New(*env, twin, c.Name(env.ID), 1, node{url}),
			Fields: fields.Resolver{Reader: twin},
		}
		f.items[env.ID] = some(t, file)
	}
	f.snapshots = answer.FromSnapshots(m, readers)
	return f
}

// outcomes of a body.
const (
	same       = "equal bytes"
	refusals   = "equal refusals"
	differ     = "differ"
	notAt      = "not at cluster"
	onlyTheirs = "refused by the cluster alone"
	failed     = "failed"
)

// compare answers a request from both.
func (f *forwarded) compare(t *testing.T, target string, body []byte) (outcome, difference string) {
	want, wp, err := f.snapshots.Respond(target, body)
	if err != nil {
		t.Fatalf("%s %s: %v", target, body, err)
	}
	got, gp, cause := f.indices.Respond(target, body)
	switch {
	case wp != nil && gp != nil && *deref(wp) == *deref(gp):
		return refusals, ""
	case gp != nil && gp.Code == problem.NotAtCluster && wp == nil:
		return notAt, gp.Message
	case cause != nil || gp != nil && gp.Status >= 500 && gp.Status != 501:
		return failed, fmt.Sprintf("%s %v, and not %+v", gp.Code, cause, wp)
	case wp == nil && gp != nil:
		return onlyTheirs, fmt.Sprintf("%s %s %v", gp.Code, gp.Message, cause)
	case wp != nil:
		return differ, fmt.Sprintf("ours %+v\ntheirs %+v %.300s", wp, gp, got.Body)
	case want.Timed != got.Timed:
		return differ, fmt.Sprintf("timed %v %v", want.Timed, got.Timed)
	case bytes.Equal(want.Body, got.Body):
		return same, ""
	}
	at := 0
	for at < len(want.Body) && at < len(got.Body) && want.Body[at] == got.Body[at] {
		at++
	}
	from := max(0, at-200)
	return differ, fmt.Sprintf("at byte %d\n  ours   %.400s\n  theirs %.400s", at, want.Body[from:], got.Body[from:])
}

func deref(p *problem.Problem) *struct {
	Status                   int
	Code, Message, Parameter string
	Position                 int
} {
	return &struct {
		Status                   int
		Code, Message, Parameter string
		Position                 int
	}{p.Status, p.Code, p.Message, p.Parameter, p.Position}
}

// recording is a Transport that keeps the last response.
type recording struct {
	cluster.Transport
	last []byte
}

// Do implements cluster.Transport.
func (r *recording) Do(ctx context.Context, q cluster.Request) ([]byte, func(), error) {
	response, release, err := r.Transport.Do(ctx, q)
	r.last = bytes.Clone(response)
	return response, release, err
}

// TestRecord writes the responses of a node to the bodies in testdata of package cluster, whose tests play them.
func TestRecord(t *testing.T) {
	out := setting(t, "CLUSTER_RECORD")
	f := forward(t)
	const env = "site"
	e := f.snapshots.Manifest.Environments[slices.IndexFunc(f.snapshots.Manifest.Environments, func(e manifest.Environment) bool { return e.ID == env })]
	r := &recording{Transport: node{first(t)}}
	twin := f.indices.Environments[env].Fields.Reader
	f.indices.Environments[env].Items = cluster.New(e, twin, f.node.Name(env), 1, r)
	text, err := os.ReadFile(filepath.Join(out, "bodies.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var lines bytes.Buffer
	write := func(v any) {
		line, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(line, '\n'))
	}
	write(map[string]any{"env": manifest.Environment{ID: env, Fields: e.Fields}, "defaults": f.snapshots.Manifest.Defaults})
	for line := range bytes.Lines(text) {
		var q struct {
			Name, Target string
			Body         json.RawMessage
		}
		if err := json.Unmarshal(line, &q); err != nil {
			t.Fatal(err)
		}
		target, list := "/cda/es/v1/"+env+q.Target, false
		if rest, ok := strings.CutPrefix(q.Target, "LIST"); ok {
			target, list, q.Body = "/cda/rest/v1/"+env+"/contents"+rest, true, nil
		}
		r.last = nil
		outcome, difference := f.compare(t, target, q.Body)
		if outcome != same && outcome != refusals {
			t.Errorf("%s: %s\n%s", q.Name, outcome, difference)
			continue
		}
		want, p, _ := f.snapshots.Respond(target, q.Body)
		recorded := map[string]any{"name": q.Name, "target": target, "want": string(want.Body), "timed": want.Timed}
		if !list {
			recorded["body"] = q.Body
		}
		if r.last != nil {
			recorded["response"] = strings.ReplaceAll(string(r.last), `"_index":"`+forwardIndices, `"_index":"`)
		}
		if p != nil {
			recorded["problem"] = p.Code
		}
		write(recorded)
	}
	if err := os.WriteFile(filepath.Join(out, "recorded.jsonl"), lines.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// onlyQuery returns a body with its query alone, nil if it has none.
func onlyQuery(body []byte) []byte {
	var members struct {
		Query json.RawMessage `json:"query"`
	}
	if json.Unmarshal(body, &members) != nil || members.Query == nil {
		return nil
	}
	text, _ := json.Marshal(members) // of what was just read
	return text
}

// TestForward asks CLUSTER_BODIES random bodies of all environments together, and their queries. It counts the responses
// with equal bytes: TestCluster of the same directory says why others differ. Every body has an answer, or an error of
// the request.
func TestForward(t *testing.T) {
	f := forward(t)
	left := number(t, "CLUSTER_BODIES", 500)
	counts := map[string]int{}
	shown := number(t, "CLUSTER_SHOWN", 0)
	ask := func(target string, body []byte) {
		outcome, difference := f.compare(t, target, body)
		counts[outcome]++
		switch {
		case outcome == failed:
			t.Errorf("%s %s\n%s", target, body, difference)
		case outcome != same && outcome != refusals && shown > 0:
			shown--
			t.Logf("%s: %s %s\n%s", outcome, target, body, difference)
		}
	}
	for seed := uint64(number(t, "CLUSTER_SEED", 0)); left > 0; seed++ {
		for _, env := range slices.Sorted(maps.Keys(f.items)) {
			next := searchtest.Bodies(t, rand.New(rand.NewPCG(seed, 7)), f.items[env])
			for range min(left, bodiesOfSeed) {
				body, target := compare.With(next(), os.Getenv("ELASTICSEARCH_MEMBERS")), "/cda/es/v1/"+env
				ask(target, body)
				ask(target+"/_search", body)
				if query := onlyQuery(body); query != nil {
					ask(target+"/_count", query)
				}
				left--
			}
		}
	}
	if t.Logf("%v", counts); 5*counts[differ] > counts[same] {
		t.Error("more than one response in six differs")
	}
}

// TestDeepPages asks for pages of lists behind the first 10,000 items, in several orders, and for pages behind the last item.
func TestDeepPages(t *testing.T) {
	f := forward(t)
	for env := range f.items {
		items := f.snapshots.Environments[env].Fields.Reader.Items()
		for _, size := range []int{10, 999} {
			for _, page := range []int{10000/size + 1, items/size + 1, 1_000_000} {
				for _, rest := range []string{"", "&sort=Name&sortAsc=true", "&sort=Data.language", "&templateName=Common%20Page"} {
					target := fmt.Sprintf("/cda/rest/v1/%s/contents?page=%d&pageSize=%d%s", env, max(page, 1), size, rest)
					if outcome, difference := f.compare(t, target, nil); outcome != same {
						t.Errorf("%s: %s\n%.900s", target, outcome, difference)
					}
				}
			}
		}
	}
}

// TestPaging reads all items of the sample page by page, each page behind the sort values of the one before.
func TestPaging(t *testing.T) {
	f := forward(t)
	for _, sort := range []string{
		`"Data.inStock"`, `{"Data.inStock":"desc"}`, `{"Data.price":"desc"}`, `"Data.price"`, `{"Data.stock":{"missing":"_first"}}`, `{"Data.stock":{"missing":7}}`,
		`"CreatedAt"`, `{"Data.date":"desc"}`, `{"Data.section.Type.keyword":{"missing":"_first"}}`, `"Name"`, `"_score"`, `"Data.founded.double"`, `"Data.staff.boolean"`, `"Data.nowhere"`,
		`{"Data.rating":{"mode":"avg"}}`, `{"CreatedAt":{"numeric_type":"date_nanos"}}`, `"_seq_no"`, `{"_doc":"desc"}`,
	} {
		after := ""
		for range 20 {
			body := fmt.Sprintf(`{"size":5,"_source":false,"sort":[%s,"ContentID.keyword"]%s}`, sort, after)
			const target = "/cda/es/v1/site/_search"
			if outcome, difference := f.compare(t, target, []byte(body)); outcome != same {
				t.Errorf("%s: %s\n%.900s", body, outcome, difference)
				break
			}
			response, _, _ := f.snapshots.Respond(target, []byte(body))
			var page struct {
				Hits struct {
					Hits []struct{ Sort json.RawMessage }
				}
			}
			if err := json.Unmarshal(response.Body, &page); err != nil {
				t.Fatal(err)
			}
			if len(page.Hits.Hits) == 0 {
				break
			}
			after = `,"search_after":` + string(page.Hits.Hits[len(page.Hits.Hits)-1].Sort)
		}
	}
}
