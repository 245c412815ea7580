// These tests compare rendered bytes with literals, and planned sizes with rendered
// ones.

package render

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"contentedge/generator/model"
	"contentedge/generator/plan"
)

// item makes an item whose fields hold their own names, with a number to vary lengths.
func item(n int) model.Item {
	it := model.Item{ContentID: fmt.Sprintf("c%04d", n), TemplateName: fmt.Sprint("T", n%3), Status: "Published", CreatedBy: strings.Repeat("x", n%7), CreatedAt: int64(n / 2)}
	for i, name := range model.FieldNames {
		it.Raw[i] = fmt.Appendf(nil, `"%s%d"`, strings.ToLower(name), n)
	}
	if n%2 == 1 {
		it.Extra = []byte(`,"Extra":1.0`)
	}
	return it
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

func TestFragment(t *testing.T) {
	it := item(1)
	if got := string(Fragment([]byte("before "), &it)); got != "before "+fragment1 {
		t.Errorf("got %s", got)
	}
	if got := FragmentSize(&it); got != len(fragment1) {
		t.Errorf("size %d, want %d", got, len(fragment1))
	}
}

func TestBodies(t *testing.T) {
	e := env(3)
	p := plan.New(e, plan.DefaultOptions())
	r := NewRenderer(Fragments(e, p.Docs))
	for page := range p.Pages() {
		name, _ := page.Address.File(e.ID)
		if !strings.HasSuffix(name, "contents-list/template-_t1/sort-createdat-desc-10/page-1.json") {
			continue
		}
		if got, want := string(r.Page(page)), `{"status":200,"data":[`+fragment1+`],"totalItems":1}`; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	for doc, i := range p.Docs {
		want := `{"status":200,"data":` + string(Fragment(nil, &e.Items[i])) + `}`
		if got := string(r.Item(doc)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestFragmentsDoNotDependOnWorkers(t *testing.T) {
	e := env(101)
	p := plan.New(e, plan.DefaultOptions())
	want := Fragments(e, p.Docs)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, workers := range []int{1, 2, 7, 200} {
		runtime.GOMAXPROCS(workers)
		for i, got := range Fragments(e, p.Docs) {
			if !bytes.Equal(got, want[i]) {
				t.Fatalf("%d workers: document %d is %s", workers, i, got)
			}
		}
	}
}

// A plan's figures are those of the rendered bodies, to the byte.
func TestMeasureIsExact(t *testing.T) {
	for _, n := range []int{0, 1, 9, 10, 11, 100, 137} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			e := env(n)
			p := plan.New(e, plan.DefaultOptions())
			got := Measure(e, p)
			r := NewRenderer(Fragments(e, p.Docs))
			var itemBytes, pageBytes int64
			for doc := range p.Docs {
				itemBytes += int64(len(r.Item(doc)))
			}
			pages := 0
			for page := range p.Pages() {
				pageBytes += int64(len(r.Page(page)))
				pages++
			}
			files, bytes := got.ListFiles()
			if got.Items != n || got.ItemBytes != itemBytes || files != pages || bytes != pageBytes {
				t.Errorf("measured %d items of %d bytes, %d pages of %d bytes; rendered %d, %d, %d, %d",
					got.Items, got.ItemBytes, files, bytes, n, itemBytes, pages, pageBytes)
			}
		})
	}
}
