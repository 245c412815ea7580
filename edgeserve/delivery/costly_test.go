// This file looks for the bodies that cost most, keeps the worst as seeds, and holds each
// to the work limit of a request.

package delivery

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"contentedge/edgeserve/contentcoding"
	"contentedge/edgeserve/query"
	"contentedge/edgeserve/search"
	"contentedge/edgeserve/snapshot"
	"contentedge/edgeserve/snapshot/snaptest"
)

const (
	costlySeeds = "testdata/costly.jsonl"
	costlyKept  = 6
	// costlyBound is generous: a whole work limit is a third of a second of an idle core, and
	// tests share theirs.
	costlyBound = 15 * time.Second
	// costlySearched is how long the suite looks for worse; CONTENTEDGE_COSTLY=10m looks
	// longer and writes the worst to the seeds.
	costlySearched = time.Second
	costlyLength   = 256 << 10 // of the longest body, as the edge server has it by default
)

// costlyBody is a body by how often it has each of the parts.
type costlyBody struct {
	Clauses, Aggs, Sort, Includes, Excludes map[string]int
	Wrap                                    string
	Size                                    int
}

// costlyParts are what bodies are made of; # becomes another number each time.
var costlyParts = map[string][]string{
	"Clauses": {`{"wildcard":{"Data.text":"*#*o*"}}`, `{"match":{"Data.text":"words of item w#"}}`, `{"match_phrase":{"Data.text":"of item w#"}}`, `{"query_string":{"query":"*#* OR w*"}}`,
		`{"query_string":{"query":"/.*[ab]{5}.*#/"}}`, `{"fuzzy":{"Data.text":"w#"}}`, `{"match":{"Data.text":{"query":"wordz#","fuzziness":2}}}`, `{"range":{"Data.n":{"gte":#}}}`, `{"exists":{"field":"Data.text"}}`,
		`{"terms":{"Data.n":[#,1,2,3]}}`, `{"prefix":{"Data.text":"w"}}`, `{"multi_match":{"query":"words of item","fields":["*"]}}`, `{"simple_query_string":{"query":"words~2 of~ \"item w#\"~9"}}`},
	"Aggs": {`{"terms":{"field":"ContentID","size":10000}}`, `{"cardinality":{"field":"Data.n"}}`, `{"stats":{"field":"Data.n"}}`, `{"date_histogram":{"field":"CreatedAt","calendar_interval":"minute"}}`,
		`{"terms":{"field":"Data.tags.keyword","size":9999,"order":{"s":"desc"}},"aggs":{"s":{"avg":{"field":"Data.n"}}}}`, `{"filter":{"wildcard":{"Data.text":"*#*"}}}`, `{"terms":{"field":"ContentID","include":["a","b#"]}}`},
	"Sort":     {`"Data.n"`, `"Data.tags.keyword"`, `"Status"`, `"Data.text.keyword"`, `{"CreatedAt":"desc"}`, `"_score"`},
	"Includes": {`"*a*#*e*"`, `"Data.*"`, `"*t"`, `"Data.list.#"`},
	"Excludes": {`"*a*#*e*"`, `"Data.tags"`, `"*x#*"`},
}

var (
	costlyWraps = []string{"should", "must", "filter", "must_not"}
	costlySizes = []int{0, 10, 1000, 10000}
	costlyTimes = []int{0, 1, 2, 8, 32, 99, 300, 1000}
)

// group is the parts of one name.
func (c *costlyBody) group(name string) *map[string]int {
	return map[string]*map[string]int{"Clauses": &c.Clauses, "Aggs": &c.Aggs, "Sort": &c.Sort, "Includes": &c.Includes, "Excludes": &c.Excludes}[name]
}

// list writes parts as often as they count, each by a format.
func (c *costlyBody) list(name, format string) string {
	var out []string
	counts := *c.group(name)
	for _, part := range costlyParts[name] {
		for range counts[part] {
			n := fmt.Sprint(len(out))
			out = append(out, strings.ReplaceAll(format, "%", n)+strings.ReplaceAll(part, "#", n))
		}
	}
	return strings.Join(out, ",")
}

func (c *costlyBody) text() string {
	return fmt.Sprintf(`{"size":%d,"query":{"bool":{%q:[%s]}},"sort":[%s],"aggs":{%s},"_source":{"includes":[%s],"excludes":[%s]}}`,
		c.Size, c.Wrap, c.list("Clauses", ""), c.list("Sort", ""), c.list("Aggs", `"a%":`), c.list("Includes", ""), c.list("Excludes", ""))
}

// mutated is a copy with a few changes.
func (c costlyBody) mutated(rng *rand.Rand) costlyBody {
	text, _ := json.Marshal(c)
	var m costlyBody
	_ = json.Unmarshal(text, &m)
	for range 1 + rng.IntN(3) {
		switch name := []string{"Clauses", "Aggs", "Sort", "Includes", "Excludes", "Wrap", "Size"}[rng.IntN(7)]; name {
		case "Wrap":
			m.Wrap = costlyWraps[rng.IntN(len(costlyWraps))]
		case "Size":
			m.Size = costlySizes[rng.IntN(len(costlySizes))]
		default:
			g, parts := m.group(name), costlyParts[name]
			if *g == nil {
				*g = map[string]int{}
			}
			(*g)[parts[rng.IntN(len(parts))]] = costlyTimes[rng.IntN(len(costlyTimes))]
		}
	}
	return m
}

// costlySite is the items that bodies are tried on.
func costlySite(t *testing.T) *snapshot.Reader {
	var items []string
	for i := range 5000 {
		items = append(items, fmt.Sprintf(`{"CreatedAt":%q,"Name":"n %d","Status":"Published","ContentID":"c%05[2]d","Data":{"text":"words of item w%[2]d and wordy%d, some of them abab%[3]d long","n":%[3]d,"tags":["t%[3]d","u%d"],"list":[{"a":%[2]d,"e":"x"},{"a":1}]}}`,
			time.Date(2020, 1, 1, 0, -i, 0, 0, time.UTC).Format(time.RFC3339), i, i%97, i%7))
	}
	return snaptest.Open(t, snaptest.Env{Items: items})
}

// costOf works on a body as a request does, and measures that. Bodies that are wrong cost
// nothing.
func costOf(t *testing.T, r *snapshot.Reader, c costlyBody) (took time.Duration, refused bool) {
	text := c.text()
	if len(text) > costlyLength {
		return 0, false
	}
	q := Request{reader: r, Body: []byte(text), work: search.NewWorkLimit(t.Context())}
	begun := time.Now()
	err := func() error {
		body, err := q.searchBody("")
		if err != nil {
			return err
		}
		result, err := search.EvalWithin(q.work, r, body)
		if err != nil {
			return err
		}
		hits, err := q.appendHits(nil, result.Docs, body.Source)
		if err == nil && q.canCompress(len(hits)) {
			contentcoding.EncodeFast(contentcoding.Gzip, nil, hits, nil)
		}
		return err
	}()
	took = time.Since(begun)
	if e, ok := err.(*query.Error); err != nil && (!ok || e.Code == search.ErrTimeout.Code) {
		t.Errorf("%v\n%.300s", err, text)
	} else if ok {
		refused = e.Code == "too_costly"
	}
	if took > costlyBound {
		t.Errorf("%s for\n%.1000s", took, text)
	}
	return took, refused
}

// costlyScore is a body and what it took.
type costlyScore struct {
	body costlyBody
	took time.Duration
}

func TestCostliestBodies(t *testing.T) {
	searched := costlySearched
	text, write := os.LookupEnv("CONTENTEDGE_COSTLY")
	if write {
		var err error
		if searched, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	r := costlySite(t)
	var worst []costlyScore
	refused := 0
	for _, c := range readCostly(t) {
		took, costly := costOf(t, r, c)
		if costly {
			refused++
		}
		worst = append(worst, costlyScore{c, took})
	}
	if !write && refused == 0 {
		t.Error("no seed is refused: the budget counts too little, or the seeds are not costly")
	}
	rng := rand.New(rand.NewPCG(1, uint64(len(worst))))
	tried := 0
	for end := time.Now().Add(searched); time.Now().Before(end); tried++ {
		c := costlyBody{Wrap: "should", Size: 10000}
		if len(worst) > 0 && rng.IntN(8) > 0 {
			c = worst[rng.IntN(len(worst))].body
		}
		c = c.mutated(rng)
		took, _ := costOf(t, r, c)
		worst = append(worst, costlyScore{c, took})
		slices.SortFunc(worst, func(a, b costlyScore) int { return int(b.took - a.took) })
		worst = worst[:min(len(worst), costlyKept)]
	}
	t.Logf("%d bodies tried, the worst took %s", tried, worst[0].took)
	if write {
		writeCostly(t, worst)
	}
}

func readCostly(t *testing.T) (all []costlyBody) {
	text, err := os.ReadFile(costlySeeds)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		var c costlyBody
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	return all
}

func writeCostly(t *testing.T, all []costlyScore) {
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false)
	for _, s := range all {
		if err := out.Encode(s.body); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(costlySeeds, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
