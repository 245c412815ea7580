// This file asks for lists, and for searches with parameters, and compares with what the interface specifies: whole
// values, combined by AND, in a named order.

package searchtest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/search"
	"contentedge/edgeserve/wire/address"
)

// restSeeds are the environments of the tests in this file.
const restSeeds = 20

func testOracleLists(t *testing.T, open Open) {
	for seed := range uint64(restSeeds) {
		r := rand.New(rand.NewPCG(seed, 2))
		e := newEnv(t, open, newWriter(r).items(size(r, 0)))
		a := newAsker(r, e.twin)
		for range 100 {
			l := a.list()
			if diff := e.differList(l); diff != "" {
				t.Fatalf("seed %d: %+v\n%s\n%s", seed, l, diff, strings.Join(e.items, "\n"))
			}
		}
	}
}

// list is a list request whose filters may hold.
func (a *asker) list() address.List {
	value := func(field string) string {
		if own := a.own[field+".keyword"]; len(own) > 0 && a.oneIn(3) {
			return pick(a.Rand, own)
		}
		return pick(a.Rand, []string{"", "", "", "", "nope"})
	}
	sort := pick(a.Rand, []string{"CreatedAt", "CreatedAt", "Name", "ContentID", "Status", "UpdatedBy", a.field(), a.field()})
	if !address.IsScalar(sort) && !strings.HasPrefix(sort, "Data.") {
		sort = "PublishedAt"
	}
	l := address.List{Name: value("Name"), Template: value("TemplateName"), Status: value("Status"), CreatedBy: value("CreatedBy"),
		Sort: sort, Asc: a.oneIn(2), Page: 1 + a.IntN(3), Size: 1 + a.IntN(12)}
	for range a.IntN(3) {
		if f := strings.TrimSuffix(a.field(), ".keyword"); strings.HasPrefix(f, "Data.") && !strings.Contains(f, "*") && l.Filter(f) == "" {
			a.near = f
			l.SetFilter(f, fmt.Sprint(a.fitting(f)))
		}
	}
	return l
}

// is reports whether an item has a whole value at a path.
func (t *twin) is(item int, path, value string) bool {
	f := t.fields[path]
	return f != nil && f.cells[item] != nil && slices.Contains(f.cells[item].texts, value)
}

// hasAll reports whether an item has the values that filters by paths of Data name.
func (t *twin) hasAll(item int, filters address.DataFilters) bool {
	for path, value := range filters.All() {
		if value != "" && !t.equal(item, search.Equal{Field: path, Value: value}) {
			return false
		}
	}
	return true
}

func (e *env) differList(l address.List) string {
	t := e.twin
	var want []int
	for i := range t.ids {
		if (l.Name == "" || t.is(i, "Name", l.Name)) && (l.Template == "" || t.is(i, "TemplateName", l.Template)) &&
			(l.Status == "" || t.is(i, "Status", l.Status)) && (l.CreatedBy == "" || t.is(i, "CreatedBy", l.CreatedBy)) && t.hasAll(i, l.Data) {
			want = append(want, i)
		}
	}
	key := rankKey{desc: !l.Asc, values: make([]any, len(t.ids))}
	if f := t.fields[l.Sort]; f != nil {
		key.values = t.extremes(f, !l.Asc)
	}
	slices.SortFunc(want, func(a, b int) int {
		return cmp.Or(key.compare(a, b), strings.Compare(t.ids[a], t.ids[b]))
	})
	b := search.FromList(l)
	got, err := e.eval(b, b.Window.From, b.Window.Size)
	if err != nil {
		return fmt.Sprintf("error %v", err)
	}
	from := min((l.Page-1)*l.Size, len(want))
	page := want[from:min(from+l.Size, len(want))]
	same := slices.EqualFunc(got.Docs, page, func(d uint32, i int) bool { return int(d) == i })
	if got.Total != len(want) || !same {
		return fmt.Sprintf("total %d, page %v, want %d %v", got.Total, got.Docs, len(want), page)
	}
	return ""
}

func testOracleParams(t *testing.T, open Open) {
	for seed := range uint64(restSeeds) {
		r := rand.New(rand.NewPCG(seed, 3))
		e := newEnv(t, open, newWriter(r).items(size(r, 0)))
		a := newAsker(r, e.twin)
		for range 50 {
			p := a.params()
			body := a.body()
			if a.oneIn(3) {
				delete(body, "query")
			}
			raw, _ := json.Marshal(body)
			if diff := e.differParams(raw, p); diff != "" {
				t.Fatalf("seed %d: %+v\n%s\n%s\n%s", seed, p, raw, diff, strings.Join(e.items, "\n"))
			}
		}
	}
}

// params are parameters of the search endpoint that may hold.
func (a *asker) params() (p search.Params) {
	p.Defaults = pick(a.Rand, []address.Defaults{address.Standard, {Sort: "Name", Asc: true, Size: 10}})
	for range a.IntN(3) {
		f := strings.TrimSuffix(a.field(), ".keyword")
		if strings.HasPrefix(f, "Data.") && !strings.Contains(f, "*") || address.IsScalar(f) && !strings.HasSuffix(f, "At") {
			a.near = f
			p.Equal = append(p.Equal, search.Equal{Field: f, Value: fmt.Sprint(a.fitting(f))})
		}
	}
	if a.oneIn(4) {
		p.CreatedAt = pick(a.Rand, []string{"2021", "2020", "2021-04", "2021-04-15", "2021-05-15T01", "2021-05-15T01:00", "2021-05-15T01:00:00", "2021-05-15T01:00:00Z", "2021-05-15T01:00:00.500Z", "x", "2021-13"})
	}
	if a.oneIn(4) {
		p.Data = a.text()
		if parts := strings.Split(a.field(), "."); a.oneIn(3) {
			p.Data = strings.Join(parts[a.IntN(len(parts)):], ".")
		}
	}
	p.Page, p.PageSize = pick(a.Rand, []string{"", "", "1", "2", "0"}), pick(a.Rand, []string{"", "", "3", "50", "-1"})
	p.Sort, p.SortAsc = pick(a.Rand, []string{"", "", "Name", "CreatedAt", "nope"}), pick(a.Rand, []string{"", "", "true", "false", "yes"})
	return p
}

// passes reports whether an item passes the filters of parameters.
func (t *twin) passes(item int, p search.Params) bool {
	for _, e := range p.Equal {
		if e.Value != "" && !t.equal(item, e) {
			return false
		}
	}
	if p.CreatedAt != "" {
		created := time.UnixMilli(t.fields["CreatedAt"].cells[item].longs[0]).UTC().Format("2006-01-02T15:04:05.000Z")
		if at, err := time.Parse(time.RFC3339Nano, p.CreatedAt); err == nil {
			p.CreatedAt = at.UTC().Format("2006-01-02T15:04:05.000Z")
		}
		if !strings.HasPrefix(created, p.CreatedAt) {
			return false
		}
	}
	return p.Data == "" || t.hasWords(item, p.Data) || t.hasElement(item, strings.Split(p.Data, "."))
}

// hasWords reports whether all words of a text, which is not empty, are in Data, in strings, numbers or booleans.
func (t *twin) hasWords(item int, text string) bool {
	words := analysis.Terms(text)
	for _, w := range words {
		found := false
		for _, path := range t.paths {
			if c := t.fields[path].cells[item]; strings.HasPrefix(path, "Data.") && c != nil {
				found = found || slices.ContainsFunc(c.leaves, func(v any) bool { return slices.Contains(analysis.Terms(leafText(v)), w) })
			}
		}
		if !found {
			return false
		}
	}
	return len(words) > 0
}

// hasElement reports whether a path of an item leads through elements with these names, below Data or from Data on.
func (t *twin) hasElement(item int, names []string) bool {
	for _, path := range t.paths {
		parts := strings.Split(path, ".")
		if parts[0] != "Data" || t.fields[path].cells[item] == nil {
			continue
		}
		for i := range parts {
			below := i > 0 || len(names) > 1
			if below && len(parts)-i >= len(names) && slices.Equal(parts[i:i+len(names)], names) {
				return true
			}
		}
	}
	return false
}

// equal: a string as a whole, anything else by its value.
func (t *twin) equal(item int, e search.Equal) bool {
	if t.is(item, e.Field, e.Value) {
		return true
	}
	to, ok := t.resolve(e.Field)
	if !ok || to.kind == onText || to.kind == onKeyword {
		return false
	}
	h, err := t.exact(to, e.Value, 1, true)
	return err == nil && h[item] >= 0
}

// badParams reports whether parameters are refused whatever the items are.
func badParams(p search.Params) bool {
	return p.CreatedAt == "x" || p.CreatedAt == "2021-13" || p.Page == "0" || p.PageSize == "-1" || p.SortAsc == "yes"
}

func (e *env) differParams(raw []byte, p search.Params) string {
	b, err := body.Parse(raw)
	if err != nil {
		return ""
	}
	with, err := search.WithParams(b, p)
	if bad := badParams(p) || p.Sort == "nope" && b.Order.Keys == nil; (err != nil) != bad {
		return fmt.Sprintf("error %v, want %v", err, bad)
	}
	if err != nil {
		return ""
	}
	want, wantErr := e.twin.search(b.Query)
	sort := b.Order.Keys
	if sort == nil && p.Sort+p.SortAsc != "" {
		sort = []query.SortKey{{Field: cmp.Or(p.Sort, p.Defaults.Sort), Asc: p.SortAsc == "true"}}
	}
	rank, ok := e.twin.ranking(sort)
	got, err := e.eval(with, 0, whole)
	switch {
	case wantErr != nil && ok && err == nil && got.Total == 0:
		return "" // a filter that can match nothing hides the error
	case (err != nil) != (wantErr != nil || !ok):
		return fmt.Sprintf("error %v, want %v", err, wantErr)
	case err != nil:
		return ""
	}
	for i := range want {
		if !e.twin.passes(i, p) {
			want[i] = miss
		}
	}
	if b.Query == nil {
		want = want.constant(0)
	}
	if diff := e.sameHits(got, want, rank); diff != "" {
		return diff
	}
	return e.differWindow(b, with, p)
}

// differWindow checks the page: of the body if it gives one, else of the parameters.
func (e *env) differWindow(b, with *query.Body, p search.Params) string {
	from, size := b.Window.From, b.Window.Size
	if !b.Window.HasFrom && !b.Window.HasSize {
		page := 1
		fmt.Sscan(p.Page, &page)
		fmt.Sscan(p.PageSize, &size)
		from = (page - 1) * size
	}
	if with.Window.From != from || with.Window.Size != size {
		return fmt.Sprintf("window %d %d, want %d %d", with.Window.From, with.Window.Size, from, size)
	}
	return ""
}
