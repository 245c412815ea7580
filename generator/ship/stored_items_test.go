package ship

import (
	"testing"

	"contentedge/edgeserve/wire/release"
	"contentedge/generator/removal"
)

// TestHasItem asks stores of each kind for items.
func TestHasItem(t *testing.T) {
	for _, kind := range []release.StoreKind{release.KindComplete, release.KindNodes} {
		w := newWorld(t)
		if _, err := Publish(t.Context(), PublishConfig{Store: w.s, Public: buildOf(t, 6, 0), Kind: kind, Removal: removal.Limit{Allow: true}}); err != nil {
			t.Fatal(err)
		}
		r, err := Current(t.Context(), w.s, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			env, id string
			want    bool
		}{{"site", "Content_0005", true}, {"site", "Content_0006", false}, {"other", "Content_0005", false}} {
			if has, err := r.HasItem(t.Context(), c.env, c.id, 1<<20); err != nil || has != c.want {
				t.Errorf("%s: %+v: %t, %v", kind, c, has, err)
			}
		}
	}
}
