// These tests build two releases of the same items, whose source files are laid out
// differently. Search results must not depend on the layout.

package index_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/search"
	"contentedge/edgeserve/engine/searchtest"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/generator"
)

// layouts is the number of release pairs, layoutBodies the number of searches per pair.
const (
	layouts      = 10
	layoutBodies = 100
)

func TestTypesDoNotDependOnSourceOrder(t *testing.T) {
	asked, answered, matching := 0, 0, 0
	for seed := range uint64(layouts) {
		r := rand.New(rand.NewPCG(seed, 7))
		items := searchtest.Items(r, 20+r.IntN(130))
		one := built(t, map[string]string{"items.ndjson": strings.Join(items, "\n")})
		two := built(t, scattered(r, items))
		if !bytes.Equal(one, two) {
			t.Errorf("seed %d: another order of the source makes another snapshot", seed)
		}
		body := searchtest.Bodies(t, r, items)
		readers := [2]*snapshot.Reader{opened(t, one), opened(t, two)}
		for range layoutBodies {
			raw := body()
			want, total := outcomeOf(t, readers[0], raw)
			got, _ := outcomeOf(t, readers[1], raw)
			asked++
			if total >= 0 {
				answered++
			}
			if total > 0 {
				matching++
			}
			if got != want {
				t.Fatalf("seed %d: %s\nof one file       %s\nof scattered ones %s", seed, raw, want, got)
			}
		}
	}
	if answered < asked/2 || matching < answered/3 {
		t.Errorf("the questions are no good: %d of %d answered, %d match", answered, asked, matching)
	}
}

// scattered distributes items over files of all kinds, in random order.
func scattered(r *rand.Rand, items []string) map[string]string {
	r.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
	files := map[string]string{}
	for i := 0; i < len(items); {
		some := items[i:min(len(items), i+1+r.IntN(9))]
		i += len(some)
		name := fmt.Sprintf("%x/%x", r.IntN(4), r.Uint64())
		switch {
		case len(some) == 1:
			files[name+".json"] = some[0]
		case r.IntN(2) == 0:
			files[name+".json"] = "[" + strings.Join(some, ",\n") + "]"
		default:
			files[name+".ndjson"] = strings.Join(some, "\n")
		}
	}
	return files
}

// built builds a release from source files and returns its snapshot.
func built(t *testing.T, files map[string]string) []byte {
	t.Helper()
	dir := t.TempDir()
	content, out := filepath.Join(dir, "content"), filepath.Join(dir, "public")
	for name, text := range files {
		path := filepath.Join(content, "demo", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := generator.Build(context.Background(), generator.BuildConfig{Content: content, Out: out, Lists: "-", PageSize: 1000, Compress: "none", NoSync: true}); err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(out, "current", "snapshots", "demo-*"))
	if err != nil || len(found) != 1 {
		t.Fatal("snapshots: ", found, err)
	}
	b, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func opened(t *testing.T, b []byte) *snapshot.Reader {
	t.Helper()
	r, err := snapshot.OpenBytes(b)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// outcomeOf returns the whole result of a search as text, and the total. The total of an
// error is -1.
func outcomeOf(t *testing.T, r *snapshot.Reader, raw []byte) (text string, total int) {
	b, err := body.Parse(raw)
	if err != nil {
		return err.Error(), -1
	}
	b.Window.From, b.Window.Size = 0, query.MaxWindow
	res, err := search.Eval(context.Background(), r, b)
	if err != nil {
		return err.Error(), -1
	}
	var ids []string
	for _, d := range res.Docs {
		var item struct{ ContentID string }
		if err := json.Unmarshal(r.Fragment(d), &item); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, item.ContentID)
	}
	return fmt.Sprintf("%d %v %s", res.Total, ids, res.Aggregations), res.Total
}
