package load

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/cluster/layout"
)

// TestLong: the _meta of an index names the paths with texts that are longer than keywords or that tie, and documents have the
// beginnings of the texts. A check without snapshots believes the index.
func TestLong(t *testing.T) {
	f, client := newFake(t)
	c := config(t, client, 0)
	i := f.indices[mustLoad(t, c).Index]
	var m layout.Meta
	if err := json.Unmarshal(i.definition.Mappings["_meta"], &m); err != nil || !slices.Equal(m.Long, []string{"Data.long"}) || !slices.Equal(m.Ties, []string{"Data.ties"}) {
		t.Errorf("%+v %v", m, err)
	}
	if doc := i.docs["item-00007"]; !strings.Contains(doc, `"Data.long.start·":["a","😀`) || strings.Contains(doc, "Data.fits.start") {
		t.Errorf("%.200s", doc[max(0, len(doc)-200):])
	}
	for _, verify := range []bool{false, true} {
		c.Verify = verify
		if r, err := Check(t.Context(), c); err != nil || len(r.Missing()) != 0 {
			t.Errorf("verify %t: %+v %v", verify, r, err)
		}
	}
	m.Long = nil
	i.definition.Mappings["_meta"], _ = json.Marshal(m)
	if r, err := Check(t.Context(), c); err != nil || len(r.Missing()) != 1 || !strings.Contains(r.Missing()[0].Problem, "long") {
		t.Errorf("%+v %v", r, err)
	}
}
