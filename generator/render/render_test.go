// These tests compare rendered bytes with literals, and planned sizes with rendered
// ones.

package render

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"contentedge/generator/model"
	"contentedge/generator/plan"
)

// item makes an item with its text.
func item(n int) model.Item {
	return model.Item{ContentID: fmt.Sprintf("c%04d", n), CreatedAt: int64(n / 2),
		Labels: &model.Labels{TemplateName: fmt.Sprint("T", n%3), Status: "Published", CreatedBy: strings.Repeat("x", n%7)},
		Text:   model.Span{Size: FragmentSize(text(n))}}
}

// text is one whose fields hold their own names, with a number to vary lengths.
func text(n int) *model.Text {
	t := &model.Text{}
	for i, name := range model.FieldNames {
		t.Raw[i] = fmt.Appendf(nil, `"%s%d"`, strings.ToLower(name), n)
	}
	if n%2 == 1 {
		t.Extra = []byte(`,"Extra":1.0`)
	}
	return t
}

// rendered are the fragments of a plan's items.
type rendered []int32

func (r rendered) ID(doc int) string { return fmt.Sprintf("contentid%d", r[doc]) }

func (r rendered) Append(dst []byte, doc int) ([]byte, error) {
	if r == nil {
		return nil, errLost
	}
	return Fragment(dst, text(int(r[doc]))), nil
}

var errLost = errors.New("lost")

func must(t *testing.T) func([]byte, error) []byte {
	return func(b []byte, err error) []byte {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
}

func env(n int) *model.Env {
	e := &model.Env{ID: "demo"}
	for i := range n {
		e.Items = append(e.Items, item(i))
	}
	return e
}

const fragment1 = `{"Status":"status1","CreatedBy":"createdby1","CreatedAt":"createdat1","Data":"data1","PublishedBy":"publishedby1",` +
	`"UpdatedAt":"updatedat1","Name":"name1","PublishedAt":"publishedat1","UpdatedBy":"updatedby1","TemplateName":"templatename1",` +
	`"TemplateID":"templateid1","ContentID":"contentid1","Extra":1.0}`

// TestRender shows the bytes of fragments, pages and items.
func TestRender(t *testing.T) {
	e := env(3)
	p := plan.New(e, plan.DefaultOptions())
	r := NewRenderer(rendered(p.Docs), nil)
	t.Run("a fragment is the members of an item in the order of delivery", func(t *testing.T) {
		if got := string(Fragment([]byte("before "), text(1))); got != "before "+fragment1 {
			t.Errorf("got %s", got)
		}
		if got := FragmentSize(text(1)); got != len(fragment1) {
			t.Errorf("size %d, want %d", got, len(fragment1))
		}
	})
	t.Run("a page has the fragments of its items and the total", func(t *testing.T) {
		for page := range p.Families[1].Pages() {
			name, _ := page.Address.File(e.ID)
			if !strings.HasSuffix(name, "contents-list/template-_t1/sort-createdat-desc-10/page-1.json") {
				continue
			}
			if got, want := string(must(t)(r.Page(page))), `{"status":200,"data":[`+fragment1+`],"totalItems":1}`; got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		}
	})
	t.Run("an item is its fragment in an envelope", func(t *testing.T) {
		for doc, i := range p.Docs {
			want := `{"status":200,"data":` + string(Fragment(nil, text(int(i)))) + `}`
			if got := string(must(t)(r.Item(doc))); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		}
	})
}

func TestLostFragmentsAreErrors(t *testing.T) {
	r := NewRenderer(rendered(nil), nil)
	if _, err := r.Item(0); !errors.Is(err, errLost) {
		t.Errorf("item: %v", err)
	}
	if _, err := r.Page(plan.Page{Docs: []int32{0}}); !errors.Is(err, errLost) {
		t.Errorf("page: %v", err)
	}
}

// A plan's figures are those of the rendered bodies, to the byte.
func TestMeasureIsExact(t *testing.T) {
	for _, n := range []int{0, 1, 9, 10, 11, 100, 137} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			e := env(n)
			p := plan.New(e, plan.DefaultOptions())
			got := Measure(e, p, nil)
			r := NewRenderer(rendered(p.Docs), nil)
			var itemBytes, pageBytes int64
			for doc := range p.Docs {
				itemBytes += int64(len(must(t)(r.Item(doc))))
			}
			pages := 0
			for i := range p.Families {
				for page := range p.Families[i].Pages() {
					pageBytes += int64(len(must(t)(r.Page(page))))
					pages++
				}
			}
			files, bytes := got.ListFiles()
			if got.Items != n || got.ItemBytes != itemBytes || files != pages || bytes != pageBytes {
				t.Errorf("measured %d items of %d bytes, %d pages of %d bytes; rendered %d, %d, %d, %d",
					got.Items, got.ItemBytes, files, bytes, n, itemBytes, pages, pageBytes)
			}
		})
	}
}
