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
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"contentedge/edgeserve/engine/answer"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/engine/snapshot/snaptest"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/compression"
	"contentedge/edgeserve/wire/contentcoding"
	"contentedge/edgeserve/wire/release"
)

const (
	costlySeeds = "testdata/costly.jsonl"
	costlyKept  = 6
	// costlyBound is generous: a whole work limit is a third of a second of an idle core.
	costlyBound = 3 * time.Second
	// costlySearched is how long the suite looks for worse; TEST_CONTENTEDGE_COSTLY=10m looks
	// longer and writes the worst to the seeds.
	costlySearched = time.Second
	costlyLength   = 256 << 10 // of the longest body, as the edge server has it by default
)

// costlyBody is a body by how often it has each of the parts.
type costlyBody struct {
	Clauses, Aggs, Sort, Includes, Excludes, Members map[string]int
	Wrap                                             string
	Size                                             int
}

// largest is the largest page size, in a body.
var largest = strconv.Itoa(address.MaxSize)

// costlyParts are what bodies are made of; # becomes another number each time.
var costlyParts = map[string][]string{
	"Clauses": {`{"wildcard":{"Data.text":"*#*o*"}}`, `{"match":{"Data.text":"words of item w#"}}`, `{"match_phrase":{"Data.text":"of item w#"}}`, `{"query_string":{"query":"*#* OR w*"}}`,
		`{"query_string":{"query":"/.*[ab]{5}.*#/"}}`, `{"fuzzy":{"Data.text":"w#"}}`, `{"match":{"Data.text":{"query":"wordz#","fuzziness":2}}}`, `{"range":{"Data.n":{"gte":#}}}`, `{"exists":{"field":"Data.text"}}`,
		`{"terms":{"Data.n":[#,1,2,3]}}`, `{"prefix":{"Data.text":"w"}}`, `{"multi_match":{"query":"words of item","fields":["*"]}}`, `{"simple_query_string":{"query":"words~2 of~ \"item w#\"~9"}}`,
		`{"regexp":{"Data.text":"(w|o|x)*#?.*"}}`, `{"regexp":{"Data.text.keyword":".*(a|b){5}.*#.*"}}`, `{"fuzzy":{"Data.text.keyword":{"value":"words of item w# and","fuzziness":2}}}`,
		`{"multi_match":{"query":"words w# wordz#","fields":["*"],"fuzziness":"AUTO"}}`, `{"multi_match":{"query":"words of item w#","fields":["*"],"type":"cross_fields","operator":"and"}}`, `{"multi_match":{"query":"words of w","fields":["*"],"type":"phrase_prefix"}}`,
		`{"function_score":{"query":{"match":{"Data.text":"words"}},"functions":[{"gauss":{"CreatedAt":{"origin":"2020-01-01","scale":"1d"}}},{"filter":{"wildcard":{"Data.text":"*w#*"}},"weight":2},{"random_score":{"seed":#,"field":"_seq_no"}}]}}`,
		`{"function_score":{"functions":[{"exp":{"Data.list.a":{"origin":#,"scale":3}}}],"min_score":0.1}}`, `{"function_score":{"query":{"match":{"Data.text":"item"}},"field_value_factor":{"field":"Data.n","modifier":"ln2p","missing":1}}}`,
		`{"more_like_this":{"fields":["*"],"like":["words of item w# and wordy#","some of them long",{"_id":"c0000#"}],"min_term_freq":1,"min_doc_freq":1}}`,
		`{"span_near":{"clauses":[{"span_term":{"Data.text":"of"}},{"span_or":{"clauses":[{"span_term":{"Data.text":"item"}},{"span_term":{"Data.text":"them"}}]}},{"span_multi":{"match":{"prefix":{"Data.text":{"value":"w#","rewrite":"top_terms_1000"}}}}}],"slop":9,"in_order":false}}`,
		`{"span_not":{"include":{"span_term":{"Data.text":"of"}},"exclude":{"span_first":{"match":{"span_term":{"Data.text":"words"}},"end":9}},"pre":1}}`, `{"span_near":{"clauses":[{"span_multi":{"match":{"fuzzy":{"Data.text":{"value":"w#","fuzziness":2}}}}},{"span_term":{"Data.text":"and"}}],"slop":3,"in_order":true}}`,
		`{"terms_set":{"Data.text":{"terms":["words","of","item","and","long","w#"],"minimum_should_match_field":"Data.list.a"}}}`, `{"dis_max":{"queries":[{"match":{"Data.text":"words"}},{"match":{"Data.text":"of"}}],"tie_breaker":0.3}}`,
		`{"boosting":{"positive":{"match":{"Data.text":"words of"}},"negative":{"match":{"Data.text":"item"}},"negative_boost":0.5}}`, `{"match_bool_prefix":{"Data.text":"words of w"}}`, `{"distance_feature":{"field":"CreatedAt","origin":"2020-01-01","pivot":"1d"}}`},
	"Aggs": {`{"terms":{"field":"ContentID.keyword","size":` + largest + `}}`, `{"cardinality":{"field":"Data.n"}}`, `{"stats":{"field":"Data.n"}}`, `{"date_histogram":{"field":"CreatedAt","calendar_interval":"minute"}}`,
		`{"terms":{"field":"Data.tags.keyword","size":9999,"order":{"s":"desc"}},"aggs":{"s":{"avg":{"field":"Data.n"}}}}`, `{"filter":{"wildcard":{"Data.text":"*#*"}}}`, `{"terms":{"field":"ContentID.keyword","include":["a","b#"]}}`,
		`{"date_histogram":{"field":"CreatedAt","calendar_interval":"day"},"aggs":{"t":{"terms":{"field":"Data.tags.keyword","size":1000},"aggs":{"p":{"percentiles":{"field":"Data.n"}}}}}}`, `{"terms":{"field":"Data.n","size":100},"aggs":{"h":{"top_hits":{"size":100,"sort":["Data.n"]}}}}`,
		`{"significant_terms":{"field":"Data.tags.keyword","size":100}}`, `{"composite":{"size":` + largest + `,"sources":[{"a":{"terms":{"field":"ContentID.keyword"}}},{"b":{"terms":{"field":"Data.tags.keyword"}}}]}}`, `{"range":{"field":"Data.n","ranges":[{"from":#},{"to":#}]},"aggs":{"c":{"cardinality":{"field":"ContentID.keyword"}}}}`},
	"Sort":     {`"Data.n"`, `"Data.tags.keyword"`, `"Status"`, `"Data.text.keyword"`, `{"CreatedAt":"desc"}`, `"_score"`},
	"Includes": {`"*a*#*e*"`, `"Data.*"`, `"*t"`, `"Data.list.#"`},
	"Excludes": {`"*a*#*e*"`, `"Data.tags"`, `"*x#*"`},
	"Members": {`"highlight":{"fields":{"*":{"number_of_fragments":0}}}`, `"highlight":{"require_field_match":false,"fields":{"Data.text":{"type":"plain"},"*":{"order":"score","fragment_size":20}}}`,
		`"suggest":{"text":"wrods wordx wordyy itme lnog somee w12345 thme abab1x wordy77x","a":{"term":{"field":"Data.text","suggest_mode":"always"}},"b":{"term":{"field":"ContentID","suggest_mode":"always","string_distance":"ngram","max_edits":2}}}`,
		`"rescore":{"window_size":` + largest + `,"query":{"rescore_query":{"match_phrase":{"Data.text":{"query":"words item long","slop":99}}}}}`, `"rescore":[{"window_size":` + largest + `,"query":{"rescore_query":{"function_score":{"field_value_factor":{"field":"Data.n"}}}}},{"window_size":` + largest + `,"query":{"rescore_query":{"regexp":{"Data.text":".*[ab]{3}.*"}}}}]`,
		`"collapse":{"field":"Data.n","inner_hits":[{"name":"a","size":100},{"name":"b","size":100,"sort":["CreatedAt"]}]}`, `"collapse":{"field":"ContentID.keyword","inner_hits":[{"name":"a","size":100,"_source":"*a*e*"},{"name":"b","size":100,"highlight":{"fields":{"*":{}}}}]}`, `"search_after":[3]`, `"track_scores":true`, `"min_score":0.1`, `"post_filter":{"regexp":{"Data.text":".*[ab]{3}.*"}}`,
		`"fields":["*"],"docvalue_fields":["*"]`},
}

var (
	costlyWraps = []string{"should", "must", "filter", "must_not"}
	costlySizes = []int{0, 10, 1000, address.MaxSize}
	costlyTimes = []int{0, 1, 2, 8, 32, 99, 300, 1000}
)

// group is the parts of one name.
func (c *costlyBody) group(name string) *map[string]int {
	return map[string]*map[string]int{"Clauses": &c.Clauses, "Aggs": &c.Aggs, "Sort": &c.Sort, "Includes": &c.Includes, "Excludes": &c.Excludes, "Members": &c.Members}[name]
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
	text := fmt.Sprintf(`{"size":%d,"query":{"bool":{%q:[%s]}},"aggs":{%s},"_source":{"includes":[%s],"excludes":[%s]}`,
		c.Size, c.Wrap, c.list("Clauses", ""), c.list("Aggs", `"a%":`), c.list("Includes", ""), c.list("Excludes", ""))
	if sort := c.list("Sort", ""); sort != "" {
		text += `,"sort":[` + sort + `]`
	}
	names := map[string]bool{} // of the members so far
	for _, part := range costlyParts["Members"] {
		if name, _, _ := strings.Cut(part, ":"); c.Members[part] > 0 && !names[name] {
			names[name] = true
			text += "," + part
		}
	}
	return text + "}"
}

// mutated is a copy with a few changes.
func (c costlyBody) mutated(rng *rand.Rand) costlyBody {
	text, _ := json.Marshal(c)
	var m costlyBody
	_ = json.Unmarshal(text, &m)
	for range 1 + rng.IntN(3) {
		switch name := []string{"Clauses", "Clauses", "Aggs", "Sort", "Includes", "Excludes", "Members", "Wrap", "Size"}[rng.IntN(9)]; name {
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
	q := Request{work: scorer.NewWorkLimit(t.Context())}
	content := answer.FromSnapshots(&release.Manifest{}, map[string]*snapshot.Reader{"site": r})
	begun := processorTime(t)
	err := func() error {
		c, err := content.Find(address.Route{Kind: address.Search, Env: "site"}, "")
		if err != nil {
			return err
		}
		a, err := c.Evaluate(answer.Budget{Work: q.work}, []byte(text))
		if err != nil {
			return err
		}
		out, err := a.Write(nil)
		if err == nil && q.canCompress(len(out)) {
			compression.EncodeFast(contentcoding.Gzip, nil, out, nil)
		}
		return err
	}()
	took = processorTime(t) - begun
	if e, ok := err.(*query.Error); err != nil && (!ok || e.Code == scorer.ErrTimeout.Code) {
		t.Errorf("%v\n%.300s", err, text)
	} else if ok {
		refused = e.Code == "too_costly"
	}
	if took > costlyBound {
		t.Errorf("%s for\n%.1000s", took, text)
	}
	return took, refused
}

// processorTime is the time that the process has used: what other processes do does not count.
func processorTime(t *testing.T) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// costlyScore is a body and what it took.
type costlyScore struct {
	body    costlyBody
	took    time.Duration
	refused bool
}

func TestCostliestBodies(t *testing.T) {
	if testing.Short() {
		t.Skip("measures processor time, which the race detector multiplies")
	}
	searched := costlySearched
	text, write := os.LookupEnv("TEST_CONTENTEDGE_COSTLY")
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
		worst = append(worst, costlyScore{c, took, costly})
	}
	if !write && refused == 0 {
		t.Error("no seed is refused: the budget counts too little, or the seeds are not costly")
	}
	rng := rand.New(rand.NewPCG(1, uint64(len(worst))))
	tried := 0
	for end := time.Now().Add(searched); time.Now().Before(end); tried++ {
		c := costlyBody{Wrap: "should", Size: address.MaxSize}
		if len(worst) > 0 && rng.IntN(8) > 0 {
			c = worst[rng.IntN(len(worst))].body
		}
		c = c.mutated(rng)
		took, costly := costOf(t, r, c)
		worst = keepWorst(append(worst, costlyScore{c, took, costly}))
	}
	t.Logf("%d bodies tried, the worst took %s", tried, worst[0].took)
	if write {
		writeCostly(t, worst)
	}
}

// keepWorst keeps the worst bodies, one for each part that makes most of them: half of them are
// refused, the others answered.
func keepWorst(all []costlyScore) (kept []costlyScore) {
	slices.SortFunc(all, func(a, b costlyScore) int { return int(b.took - a.took) })
	seen, some := map[string]bool{}, map[bool]int{}
	for _, s := range all {
		part := s.body.mostly()
		if seen[part] || some[s.refused] == costlyKept/2 {
			continue
		}
		seen[part] = true
		some[s.refused]++
		kept = append(kept, s)
	}
	return kept
}

// mostly is the clause, or else the other part, that a body has most often.
func (c *costlyBody) mostly() (part string) {
	most := 0
	for _, name := range []string{"Clauses", "Aggs", "Members", "Sort", "Includes", "Excludes"} {
		counts := *c.group(name)
		for _, p := range costlyParts[name] {
			if counts[p] > most {
				part, most = p, counts[p]
			}
		}
	}
	return part
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
