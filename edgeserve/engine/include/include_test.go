package include_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/include"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/wire/envelope"
	"contentedge/edgeserve/wire/release"
)

// site has items by id.
type site map[string]string

func (s site) Item(id string) ([]byte, bool, error) {
	text, ok := s[id]
	return []byte(text), ok, nil
}

// add adds an item of a template with references, as "author:p1,p2 next:a2".
func (s site) add(id, template, refs string) {
	var data []string
	for _, r := range strings.Fields(refs) {
		name, ids, _ := strings.Cut(r, ":")
		data = append(data, fmt.Sprintf(`%q:{"Type":"Reference","ReferenceType":"Content","ContentIDs":["%s"]}`, name, strings.ReplaceAll(ids, ",", `","`)))
	}
	s[id] = fmt.Sprintf(`{"Data":{%s},"TemplateName":%q,"ContentID":%q}`, strings.Join(data, ","), template, id)
}

// from walks from some items.
func (s site) from(w *include.Walk, roots string) (*envelope.Included, error) {
	ids := strings.Fields(roots)
	return w.Run(ids, func(i int) (item, shown []byte, err error) {
		item = []byte(s[ids[i]])
		return item, item, nil
	})
}

// TestInclude shows which items a walk finds, in which order, and which ids no item has.
func TestInclude(t *testing.T) {
	s := site{}
	s.add("a1", "Article", "author:p1 next:a2 tags:t1,t2")
	s.add("a2", "Article", "author:p1 next:a1")
	s.add("p1", "Person", "company:c1 articles:a1,a2,a3")
	s.add("a3", "Article", "author:gone")
	s.add("c1", "Company", "city:x1")
	s.add("x1", "City", "")
	s.add("t1", "Tag", "same:t1")
	rules := []release.Include{{Template: "Article", Levels: 1, Paths: []string{"Data.author"}}, {Template: "Person", Levels: 1, Paths: []string{"Data.company"}}}
	for _, tt := range []struct {
		name, roots  string
		levels       int
		rules        []release.Include
		want, absent string
	}{
		{"the items that an item refers to, in the order of its references", "a1", 1, nil, "p1 a2 t1", "t2"},
		{"two levels: nearer items come first, none comes twice", "a1", 2, nil, "p1 a2 t1 c1 a3", "t2"},
		{"three levels", "a1", 3, nil, "p1 a2 t1 c1 a3 x1", "t2 gone"},
		{"a list does not include its own items", "a1 a2", 1, nil, "p1 t1", "t2"},
		{"an item that refers to itself", "t1", 3, nil, "", ""},
		{"rules follow some references", "a1", 1, rules, "p1", ""},
		{"an included item follows those of its own template", "a1", 2, rules, "p1 c1", ""},
		{"all of a template without a rule", "a1", 3, rules, "p1 c1 x1", ""},
		{"nothing to follow", "x1", 3, nil, "", ""},
	} {
		var absent []string
		w := include.Walk{Items: s, Levels: tt.levels, Rules: tt.rules, Work: scorer.NewWorkLimit(context.Background()), Absent: func(id string) { absent = append(absent, id) }}
		found, err := s.from(&w, tt.roots)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(found.IDs, " "); got != tt.want || strings.Join(absent, " ") != tt.absent {
			t.Errorf("%s: %q without %q, want %q without %q", tt.name, got, absent, tt.want, tt.absent)
		}
	}
}

// TestLimits: items that refer to very many others end in an error that says what to do, soon.
func TestLimits(t *testing.T) {
	ids := func(from, n int) string {
		all := make([]string, n)
		for i := range all {
			all[i] = fmt.Sprintf("i%d", from+i)
		}
		return strings.Join(all, ",")
	}
	many := site{}
	for i := range 2000 {
		many.add(fmt.Sprintf("i%d", i), "T", "")
	}
	many.add("few", "T", "all:"+ids(0, include.MaxItems))
	many.add("many", "T", "all:"+ids(0, include.MaxItems+1))
	large := site{"large": "{}"}
	large.add("root", "T", "to:large,large2")
	large["large"] = `{"Data":{"text":"` + strings.Repeat("x", include.MaxBytes*3/4) + `"}}`
	large["large2"] = large["large"]
	costly := site{}
	costly.add("root", "T", "to:"+ids(0, 1_000_000))
	for _, tt := range []struct {
		name string
		s    site
		root string
		code string
	}{
		{"as many as may be", many, "few", ""},
		{"one more", many, "many", "too_many_included"},
		{"bytes", large, "root", "too_many_included"},
		{"ids that no item has", costly, "root", "too_costly"},
	} {
		w := include.Walk{Items: tt.s, Levels: 1, Work: scorer.NewWorkLimit(context.Background())}
		found, err := tt.s.from(&w, tt.root)
		e, _ := errors.AsType[*query.Error](err)
		switch {
		case tt.code == "":
			if err != nil || len(found.IDs) != include.MaxItems {
				t.Errorf("%s: %v", tt.name, err)
			}
		case e == nil || e.Code != tt.code || e.Parameter != "include" || !strings.Contains(e.Message, "smaller page"):
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// far is a site on another machine: it counts requests, each for at most so many items.
type far struct {
	site
	requests []int
}

func (f *far) ItemsOf(_ *scorer.WorkLimit, ids []string) ([][]byte, error) {
	f.requests = append(f.requests, len(ids))
	items := make([][]byte, len(ids))
	for i, id := range ids {
		if text, ok := f.site[id]; ok {
			items[i] = []byte(text)
		}
	}
	return items, nil
}

// Items on other machines are the same ones in the same order, and cost a request for each level and 500 items.
func TestIncludeFromFar(t *testing.T) {
	s := site{}
	var ids []string
	for i := range 700 {
		ids = append(ids, fmt.Sprintf("p%d", i))
		s.add(ids[i], "Person", "company:c1 gone:x9")
	}
	s.add("root", "Article", "authors:"+strings.Join(ids, ","))
	s.add("c1", "Company", "")
	walk := func(items include.Items) string {
		w := include.Walk{Items: items, Levels: 2, Work: scorer.NewWorkLimit(context.Background())}
		found, err := s.from(&w, "root")
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(found.IDs, " ")
	}
	f := &far{site: s}
	if got, want := walk(f), walk(s); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if fmt.Sprint(f.requests) != "[500 200 2]" {
		t.Errorf("requests for %v items", f.requests)
	}
}
