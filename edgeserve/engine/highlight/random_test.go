// These tests highlight by random bodies, and check properties that every highlight has.

package highlight_test

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/searchtest"
	"contentedge/edgeserve/wire/envelope"
)

// options are the options of a highlight that the checks need.
type options struct {
	Type      string
	Encoder   string
	PreTags   []string `json:"pre_tags"`
	Schema    string   `json:"tags_schema"`
	Fragments *int     `json:"number_of_fragments"`
}

// TestRandomBodies checks that fragments without their tags are text of the values.
func TestRandomBodies(t *testing.T) {
	fragments, marked := 0, 0
	for seed := range uint64(12) {
		items := searchtest.Items(rand.New(rand.NewPCG(seed, 1)), 50)
		r := searchtest.Snaptest(t, items)
		next := searchtest.Bodies(t, rand.New(rand.NewPCG(seed, 2)), items)
		for range 400 {
			raw := next()
			var c struct{ Highlight json.RawMessage }
			var o struct {
				options
				Fields map[string]options
			}
			if err := json.Unmarshal(raw, &c); err != nil || c.Highlight == nil {
				continue
			}
			if err := json.Unmarshal(c.Highlight, &o); err != nil {
				t.Fatal(err)
			}
			found, err := ask(t, r, string(raw))
			if err != nil {
				continue
			}
			if again, _ := ask(t, r, string(raw)); !reflect.DeepEqual(found, again) {
				t.Fatalf("%s: once %q, then %q", raw, found, again)
			}
			delete(found, "") // hits without ids
			for id, hit := range found {
				doc, _ := r.Lookup(id)
				for name, list := range hit {
					field, _ := fields.Resolver{Reader: r}.Resolve(name)
					reader := envelope.NewValueReader([]string{field.Field.Path}, nil)
					if err := reader.Read(r.Fragment(doc)); err != nil {
						t.Fatal(err)
					}
					values := reader.Append(nil, 0)
					for _, f := range list {
						plain := strip(f)
						fragments++
						if plain != f {
							marked++
						}
						if o.Encoder != "html" && !slices.ContainsFunc(values, func(v string) bool { return strings.Contains(strip(v), plain) }) {
							t.Errorf("%s\n%s, %s: %q is no part of %q", raw, id, name, f, values)
						}
					}
					limits := []int{5}
					for _, one := range append([]options{o.options}, valuesOf(o.Fields)...) {
						if one.Fragments != nil {
							limits = append(limits, *one.Fragments)
						}
					}
					if !slices.Contains(limits, 0) && len(list) > slices.Max(limits) {
						t.Errorf("%s\n%s, %s: %d fragments", raw, id, name, len(list))
					}
				}
			}
		}
	}
	if marked < 300 || marked == fragments {
		t.Errorf("%d of %d fragments are marked: the bodies tell too little", marked, fragments)
	}
}

func valuesOf(m map[string]options) (list []options) {
	for _, o := range m {
		list = append(list, o)
	}
	return list
}

// strip removes the tags of the random bodies. No text of an item contains these tags.
func strip(f string) string {
	return strings.NewReplacer("<em>", "", `<em class="hlt1">`, "", "</em>", "", "[", "", "]", "").Replace(f)
}

// FuzzHighlight highlights for any body. Nothing panics, and each error is the fault of the body.
func FuzzHighlight(f *testing.F) {
	r := searchtest.Snaptest(f, lines(f, "items.ndjson"))
	for _, line := range lines(f, "origin.jsonl") {
		var c struct{ Body json.RawMessage }
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(c.Body))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var e *query.Error
		if _, err := ask(t, r, string(raw)); err != nil && !errors.As(err, &e) {
			t.Fatal(err)
		}
	})
}
