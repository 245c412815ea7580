// This file asks the engine and its twin random questions about random environments.
// TEST_CONTENTEDGE_ORACLE=N asks N questions instead of a few thousand; a failure prints
// the seed and the smallest items and body that still differ.

package searchtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/search"
)

// questions is how many an environment is asked, each in two forms.
const questions = 75

// environments is how many environments a run makes, n unless the caller's environment
// says otherwise.
func environments(t *testing.T, n int) int {
	text := os.Getenv("TEST_CONTENTEDGE_ORACLE")
	if text == "" {
		return n
	}
	count, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal("TEST_CONTENTEDGE_ORACLE is the number of questions to ask: ", err)
	}
	return count/questions/2 + 1
}

// firstSeed is the seed of the first environment; TEST_CONTENTEDGE_ORACLE_SEED moves it.
func firstSeed() uint64 {
	n, _ := strconv.ParseUint(os.Getenv("TEST_CONTENTEDGE_ORACLE_SEED"), 10, 64)
	return n
}

// size is the number of items: mostly a few, at times so many that lists have blocks,
// and, every tenth time, that a search takes several windows.
func size(r *rand.Rand, i int) int {
	switch n := r.IntN(12); {
	case i%10 == 7:
		return 2000 + r.IntN(3000)
	case n == 0:
		return 300 + r.IntN(600)
	case n < 3:
		return 60 + r.IntN(140)
	}
	return r.IntN(30)
}

func testOracle(t *testing.T, open Open) { askEnvironments(t, open, 30) }

// askEnvironments compares answers in n random environments.
func askEnvironments(t *testing.T, open Open, n int) {
	var asked [2]tally // of bodies as made up, and of those weighed
	var chosen tally
	for i := range environments(t, n) {
		seed := firstSeed() + uint64(i)
		r := rand.New(rand.NewPCG(seed, 1))
		e := newEnv(t, open, newWriter(r).items(size(r, i)))
		a := newAsker(r, e.twin)
		for range questions {
			body := a.body()
			for i, body := range []object{body, a.weighed(e.twin, body)} {
				raw, _ := json.Marshal(body)
				if diff := e.differ(raw, &asked[i]); diff != "" {
					t.Fatalf("seed %d: %s", seed, e.report(t, body, diff))
				}
			}
			raw, _ := json.Marshal(a.chosen(body))
			if diff := e.differChosen(raw, &chosen); diff != "" {
				t.Fatalf("seed %d: %s\n%s", seed, diff, raw)
			}
		}
	}
	t.Logf("%+v %+v", asked, chosen)
	if chosen.answered < chosen.asked/4 {
		t.Errorf("the questions are not good: %+v", chosen)
	}
	if !asked[0].good() || asked[1].answered < asked[1].asked/2 {
		t.Errorf("the questions are not good: %+v", asked)
	}
}

// tally counts what became of questions: of the questions that match something, how many match by the text form of
// typed values, by a sub-field, or by _id.
type tally struct {
	asked, malformed, refused, answered, matching int
	textForm, subField, id                        int
}

// good reports whether questions are of every kind, and most have an answer.
func (n *tally) good() bool {
	return n.answered >= n.asked/2 && n.matching >= n.answered/3 && n.refused >= n.asked/50 &&
		n.textForm >= n.matching/30 && n.subField >= n.matching/30 && n.id >= n.matching/150
}

// match counts a question that matches something.
func (n *tally) match(m met) {
	n.matching++
	n.textForm += count(m.textForm)
	n.subField += count(m.subField)
	n.id += count(m.id)
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// body is a whole search body.
func (a *asker) body() object {
	b := object{"query": a.clause(3)}
	option(a, b, 20, "query", any(object{"match_all": object{}}))
	option(a, b, 4, "from", 0, 1, 5, 40)
	option(a, b, 4, "size", 0, 1, 3, 50, 5000)
	switch a.IntN(12) {
	case 0, 1, 2:
		b["sort"] = a.sort()
	case 3:
		f := pick(a.Rand, []string{a.field(), "Data.rank"})
		b["query"] = object{"range": object{f: a.onField("range", f)}}
		b["sort"] = []any{object{f: pick(a.Rand, []string{"asc", "desc"})}}
	case 4, 5:
		a.near = pick(a.Rand, a.fields)
		b["query"] = object{"match_phrase": object{strings.TrimSuffix(a.near, ".keyword"): a.onField("match_phrase", a.near)}}
		a.near = ""
	case 6:
		b["query"] = a.textForm()
	}
	return b
}

// textForm is a query about the text form of numbers, dates or booleans, or about _id.
func (a *asker) textForm() object {
	a.near = "_id"
	if len(a.typed) > 0 && !a.oneIn(5) {
		a.near = pick(a.Rand, a.typed)
	}
	defer func() { a.near = "" }()
	switch kind := pick(a.Rand, []string{"wildcard", "prefix", "match_phrase", "match_phrase_prefix", "match", "term", "query_string"}); kind {
	case "query_string":
		return object{kind: object{"query": a.atom(), "default_field": a.near}}
	case "match":
		return object{kind: object{a.near: object{"query": a.mistype(a.word()), "fuzziness": pick(a.Rand, []any{"AUTO", 0, 1, 2})}}}
	case "term":
		return object{kind: object{a.near: object{"value": a.word(), "case_insensitive": true}}}
	default:
		return object{kind: object{a.near: a.onField(kind, a.near)}}
	}
}

// weighed makes scores visible in the order: it lifts an item to just below, or just
// above, one with a greater score.
func (a *asker) weighed(t *twin, o object) object {
	lift := object{"ids": object{"values": []any{"none"}}}
	raw, _ := json.Marshal(object{"query": o["query"]})
	if b, err := body.Parse(raw); err == nil {
		if h, err := t.search(b.Query); err == nil {
			low, gap := a.twoOf(h)
			lift = object{"ids": object{"values": slices.Concat([]string{"none"}, t.ids[low:min(low+1, len(t.ids))]), "boost": gap * pick(a.Rand, []float64{0.999, 1.001})}}
		}
	}
	return object{"query": object{"bool": object{"should": []any{o["query"], lift}}}, "size": 5}
}

// twoOf picks a match, and another item, and returns the difference of their scores.
func (a *asker) twoOf(h hits) (low int, gap float64) {
	var scored []int
	for i, s := range h {
		if s > 0 {
			scored = append(scored, i)
		}
	}
	if len(scored) == 0 {
		return 0, 1
	}
	high, low := pick(a.Rand, scored), pick(a.Rand, scored)
	if a.oneIn(3) {
		low = a.IntN(len(h))
	}
	if h[low] > h[high] {
		high, low = low, high
	}
	return low, h[high] - max(h[low], 0)
}

func (a *asker) sort() []any {
	var keys []any
	for range 1 + a.IntN(3) {
		f := pick(a.Rand, []string{"_score", "CreatedAt", "Name", "ContentID", "UpdatedBy", "_doc", "_id", "_index", "_seq_no", "Data.nope", a.field(), a.field(), a.field(), a.field()})
		if a.oneIn(3) {
			keys = append(keys, object{f: pick(a.Rand, []string{"asc", "desc"})})
		} else if a.oneIn(2) && f[0] != '_' {
			keys = append(keys, object{f: a.sortOptions(f)})
		} else {
			keys = append(keys, f)
		}
	}
	return keys
}

// differ asks both, and says in what their answers differ.
func (e *env) differ(raw []byte, n *tally) string {
	n.asked++
	b, err := body.Parse(raw)
	if err != nil {
		n.malformed++
		return ""
	}
	plain(b)
	rank, ok := e.twin.ranking(b.Order.Keys)
	e.twin.met = met{}
	want, wantErr := e.twin.search(b.Query)
	if !ok {
		wantErr = errors.New("no such field to sort by")
	}
	got, err := e.eval(b, 0, whole)
	var refused *query.Error
	switch {
	case err != nil && !errors.As(err, &refused):
		return fmt.Sprintf("an error of the wrong type: %T %v", err, err)
	case (err != nil) != (wantErr != nil):
		return fmt.Sprintf("error %v, want %v", err, wantErr)
	case err != nil:
		n.refused++
		return ""
	}
	n.answered++
	if got.Total > 0 {
		n.match(e.twin.met)
	}
	if diff := e.sameHits(got, want, rank); diff != "" {
		return diff
	}
	if diff := e.sameAfter(b, got); diff != "" {
		return diff
	}
	return e.samePages(b, got)
}

// sameHits compares the set of matches and their order.
func (e *env) sameHits(got *search.Result, want hits, rank *ranking) string {
	var docs []int
	for i, s := range want {
		if s >= 0 {
			docs = append(docs, i)
		}
	}
	sorted := make([]int, len(got.Docs))
	for i, d := range got.Docs {
		sorted[i] = int(d)
	}
	slices.Sort(sorted)
	if got.Total != len(docs) || !slices.Equal(sorted, docs) {
		return fmt.Sprintf("total %d, documents %v, want %v", got.Total, sorted, docs)
	}
	for i := range got.Docs {
		for _, before := range []int{i - 1, i / 2, 0} {
			if before < 0 || before >= i {
				continue
			}
			x, y := int(got.Docs[before]), int(got.Docs[i])
			if sign, sure := rank.compare(want, x, y); sure && sign > 0 {
				return fmt.Sprintf("order %v: %d (score %v) before %d (score %v)", got.Docs, x, want[x], y, want[y])
			}
		}
	}
	return ""
}

// samePages cuts the matches into slices, which must add up to the whole.
func (e *env) samePages(b *query.Body, all *search.Result) string {
	third := all.Total/3 + 1
	for _, p := range [][2]int{{b.Window.From, b.Window.Size}, {0, third}, {third, third}, {2 * third, whole}, {0, 0}} {
		got, err := e.eval(b, p[0], p[1])
		if err != nil {
			return fmt.Sprintf("page %v: %v", p, err)
		}
		from := min(p[0], all.Total)
		want := all.Docs[from:min(from+p[1], all.Total)]
		if got.Total != all.Total || !slices.Equal(got.Docs, want) {
			return fmt.Sprintf("page %v is %d %v, want %d %v", p, got.Total, got.Docs, all.Total, want)
		}
	}
	return ""
}

// longestReport is how long a difference is made smaller.
const longestReport = 20 * time.Second

// report makes a difference small, and prints it.
func (e *env) report(tb testing.TB, body any, diff string) string {
	until := time.Now().Add(longestReport)
	fails := func(items []string, body any) string {
		if time.Now().After(until) {
			return ""
		}
		raw, _ := json.Marshal(body)
		return newEnv(tb, e.open, items).differ(raw, &tally{})
	}
	items := shrinkItems(e.items, func(items []string) bool { return fails(items, body) != "" })
	body = shrinkBody(body, func(body any) bool { return fails(items, body) != "" })
	items = shrinkItems(items, func(items []string) bool { return fails(items, body) != "" })
	if d := fails(items, body); d != "" {
		diff = d
	}
	raw, _ := json.Marshal(body)
	return fmt.Sprintf("%s\nbody %s\nitems:\n%s", diff, raw, strings.Join(items, "\n"))
}

// shrinkItems drops items as long as the rest fails.
func shrinkItems(items []string, fails func([]string) bool) []string {
	for n := len(items) / 2; n > 0; n /= 2 {
		for i := 0; i+n <= len(items); {
			rest := slices.Concat(items[:i], items[i+n:])
			if fails(rest) {
				items = rest
			} else {
				i += n
			}
		}
	}
	return items
}

// shrinkBody drops members and elements, and puts inner queries in the place of outer
// ones, as long as what is left fails.
func shrinkBody(body any, fails func(any) bool) any {
	raw, _ := json.Marshal(body)
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	if d.Decode(&body) != nil {
		return body
	}
	for again := true; again; {
		again = false
		for _, smaller := range reductions(body) {
			if fails(smaller) {
				body, again = smaller, true
				break
			}
		}
	}
	return body
}

// reductions are copies of a value with one thing less.
func reductions(v any) (out []any) {
	switch v := v.(type) {
	case object:
		for name, x := range v {
			without := object{}
			for k, y := range v {
				if k != name {
					without[k] = y
				}
			}
			out = append(out, without)
			if inner, ok := x.(object); ok && len(v) == 1 {
				out = append(out, inner)
			}
			for _, r := range reductions(x) {
				with := object{name: r}
				for k, y := range without {
					with[k] = y
				}
				out = append(out, with)
			}
		}
	case []any:
		out = append(out, v...)
		for i, x := range v {
			out = append(out, slices.Concat(v[:i:i], v[i+1:]))
			for _, r := range reductions(x) {
				out = append(out, slices.Concat(v[:i:i], []any{r}, v[i+1:]))
			}
		}
	case string:
		ws := strings.Fields(v)
		for i := range ws {
			out = append(out, strings.Join(slices.Concat(ws[:i:i], ws[i+1:]), " "))
		}
	}
	return out
}
