package load

import (
	"net/http"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/cluster/layout"
)

// Edges search an index by an alias that it has only while it is complete: none while a load replaces it, and none that
// somebody else makes anew while the alias is on its way.
func TestSearched(t *testing.T) {
	f, client := newFake(t)
	c := config(t, client, 0)
	c.Envs = []string{"site"}
	name := mustLoad(t, c).Index
	searched := func() bool { return len(f.named(layout.Searched(name))) == 1 }
	if !searched() {
		t.Error("a complete index cannot be searched")
	}

	removed, during := 0, 0
	f.before = func(_ http.ResponseWriter, r *http.Request, _ int) bool {
		switch i := f.indices[name]; {
		case i == nil:
			removed++
		case i.definition.Aliases[layout.Searched(name)] != nil && removed > 0 && strings.Contains(r.URL.Path, "_bulk"):
			during++
		}
		return false
	}
	c.Replace = true
	mustLoad(t, c)
	if removed == 0 || during > 0 || !searched() {
		t.Errorf("%d requests met no index, and %d bulk requests one that edges search; at the end it is searched: %t", removed, during, searched())
	}

	// Somebody replaces the index just before it gets the alias.
	replaced := false
	f.before = func(_ http.ResponseWriter, r *http.Request, _ int) bool {
		if r.URL.Path == "/_aliases" && !replaced {
			replaced = true
			f.indices[name] = &fakeIndex{docs: map[string]string{}, uuid: "another", definition: f.indices[name].definition}
			f.indices[name].definition.Aliases = map[string]any{name + aliasMark + "00": object{}}
		}
		if replaced && f.indices[name] != nil && !f.indices[name].blocked && f.indices[name].definition.Aliases[layout.Searched(name)] != nil {
			t.Errorf("%s %s meets an index that edges search too early", r.Method, r.URL.Path)
		}
		return false
	}
	if _, err := Run(t.Context(), c); err != nil && !strings.Contains(err.Error(), "somebody else") {
		t.Log(err)
	}
	f.before = nil

	// An index that was restored has no alias.
	c.Replace = true
	mustLoad(t, c)
	delete(f.indices[name].definition.Aliases, layout.Searched(name))
	c.Replace = false
	if r, err := Check(t.Context(), c); err != nil || len(r.Missing()) != 1 || !strings.Contains(r.Environments[0].Problem, layout.Searched(name)) {
		t.Errorf("%+v %v", r, err)
	}
	if r := mustLoad(t, c); r.Action != Kept || !searched() {
		t.Errorf("%+v", r)
	}
}
