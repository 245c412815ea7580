// This file tests that no request works for long, or takes much memory, without looking at its
// limits. Items have thousands of paths, or values of a megabyte.

package delivery

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"contentedge/edgeserve/engine/releasedir"
	"contentedge/edgeserve/engine/respond"
	"contentedge/edgeserve/engine/searchtest"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/engine/snapshot/snaptest"
	"contentedge/edgeserve/serve/admission"
	"contentedge/edgeserve/serve/bodies"
	"contentedge/edgeserve/serve/clientnet"
	"contentedge/edgeserve/serve/generation"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/release"
)

// metered answers requests as a node does, and measures them.
type metered struct {
	*meter
	served *Served
}

func newMetered(t *testing.T, readers map[string]*snapshot.Reader) *metered {
	counters := NewCounters()
	resources := &Resources{Memory: bodies.NewBudget(256 << 20), Searches: admission.New(2, time.Hour),
		BodyLimit: costlyLength, Counters: counters, Log: slog.New(slog.DiscardHandler)}
	g := &generation.Generation{Dir: releasedir.Dir{Manifest: &release.Manifest{Build: strings.Repeat("0", 16), Defaults: release.Defaults{Sort: "CreatedAt", PageSize: 10}}, Readers: readers, SnapshotOnly: true}}
	m := &metered{newMeter(t, resources.Memory), NewServed(g, 0, respond.NewFields(release.Standard(), []string{release.AnyOrigin}), resources)}
	resources.Searches.Meter = m.look
	return m
}

// respond answers a request, as one that accepts gzip.
func (m *metered) respond(target string, body []byte) (took usage, code string) {
	path, query, _ := strings.Cut(target, "?")
	route, ok := address.ParsePath(path)
	if !ok {
		m.t.Fatal("no address: " + target)
	}
	if len(body) == 0 {
		route = route.ForGET(query)
	}
	client := clientnet.Of(netip.MustParseAddr("192.0.2.1"))
	took = m.measure(func() {
		var buffer []byte
		r := Request{Client: client, Target: []byte(target), Body: body, Buffer: &buffer, Since: time.Now()}
		r.Accept.Read([]byte("gzip"))
		response, p := m.served.Respond(&r, route, query)
		if p != nil {
			code = p.Code
			return
		}
		m.length = int64(len(response.Body))
		if response.IsLarge() {
			response.Release(m.memory, client)
		}
	})
	return took, code
}

// largeEnvironment is an environment that is large in one direction.
type largeEnvironment struct {
	items []string
	// names puts its paths into bodies that were written for other items.
	names *strings.Replacer
}

func largeEnvironments() map[string]largeEnvironment {
	return map[string]largeEnvironment{
		searchtest.Wide: {snaptest.WideItems(), instead("content text", "p0001", "title", "p0002", "summary", "p0011", "tags author language", "p0008",
			"readingMinutes n", "p0004", "price", "p0005", "date", "p0006", "inStock featured", "p0007", "plans.price list.a", "p0009.t")},
		searchtest.Long: {snaptest.LongItems(), instead("content text", "body", "tags.keyword language.keyword", "body.keyword", "readingMinutes price", "n")},
	}
}

// instead puts paths and words of an environment in the place of others.
func instead(pairs ...string) *strings.Replacer {
	all := []string{`"F"`, `"Data.` + pairs[1] + `"`, `"words of`, `"the bread of`, "item", "garden", "some of them", "rope by the"}
	for i := 0; i < len(pairs); i += 2 {
		for _, from := range strings.Fields(pairs[i]) {
			for _, end := range []string{`"`, ".", "^"} {
				all = append(all, `"Data.`+from+end, `"Data.`+pairs[i+1]+end)
			}
		}
	}
	return strings.NewReplacer(all...)
}

// corpora are bodies by where they come from.
func corpora(t *testing.T) map[string][]string {
	all := map[string][]string{}
	for name, format := range map[string]string{"body/FuzzBody": "%s", "lucene/FuzzQueryString": `{"query":{"query_string":{"query":%s}}}`} {
		dir, name, _ := strings.Cut(name, "/")
		for _, seed := range filesOf(t, "../../engine/query/"+dir+"/testdata/fuzz/"+name+"/*") {
			_, literal, _ := bytes.Cut(seed, []byte{'('})
			text, err := strconv.Unquote(strings.TrimSuffix(strings.TrimSpace(string(literal)), ")"))
			if err != nil {
				t.Fatal(err)
			}
			if name == "FuzzQueryString" {
				quoted, _ := json.Marshal(text) // a string
				text = string(quoted)
			}
			all[name] = append(all[name], fmt.Sprintf(format, text))
		}
	}
	for name, pattern := range map[string]string{"judge": "../../../scripts/elasticsearch.d/bodies/*.jsonl", "goldens": "../../engine/search/testdata/origin-*.jsonl"} {
		for _, file := range filesOf(t, pattern) {
			for lines := bufio.NewScanner(bytes.NewReader(file)); lines.Scan(); {
				var golden struct{ Body json.RawMessage }
				if name == "goldens" && json.Unmarshal(lines.Bytes(), &golden) == nil {
					all[name] = append(all[name], string(golden.Body))
				} else {
					all[name] = append(all[name], lines.Text())
				}
			}
		}
	}
	for _, c := range readCostly(t) {
		if text := c.text(); len(text) <= costlyLength {
			all["costly"] = append(all["costly"], text)
		}
	}
	return all
}

func filesOf(t *testing.T, pattern string) (texts [][]byte) {
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		t.Fatalf("no file is %s, %v", pattern, err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, text)
	}
	return texts
}

// What a request may take. A look is due after some 160 microseconds; 2 ms between two are tolerable.
// Times on busy machines are longer than on quiet ones: they are asserted at ten times a figure, and
// the whole of a request, whose steps are counted anyway, at twice one.
const (
	gapBound   = 10 * 2 * time.Millisecond
	cpuBound   = 2 * 500 * time.Millisecond
	newBound   = 64 << 20 // bytes allocated between two looks
	inUseBound = SearchMemory
	measured   = 5 // at most as often: what disturbs one measurement does not disturb all
)

// exceeds says what is more than a request may take.
func (u usage) exceeds() (all []string) {
	if u.gap > gapBound {
		all = append(all, fmt.Sprintf("%s %s", u.gap, between(u.gapAt)))
	}
	if u.cpu > cpuBound {
		all = append(all, u.cpu.String()+" in all")
	}
	if u.most > newBound {
		all = append(all, fmt.Sprintf("%d KiB allocated %s", u.most>>10, between(u.atMost)))
	}
	if u.peak > inUseBound {
		all = append(all, fmt.Sprintf("%d KiB in use beside the budget", u.peak>>10))
	}
	return all
}

// worse joins the worst of two measurements of different requests.
func (u usage) worse(v usage) usage {
	u.cpu, u.gap, u.most, u.peak = max(u.cpu, v.cpu), max(u.gap, v.gap), max(u.most, v.most), max(u.peak, v.peak)
	return u
}

// bodiesVariable asks for a sixteenth of the longer lists of bodies ("sample"), or for all bodies and so
// many random ones of each kind. Without it a few are asked.
const bodiesVariable = "TEST_CONTENTEDGE_UNCOUNTED"

func TestNoUncountedWork(t *testing.T) {
	if testing.Short() {
		t.Skip("measures processor time, which the race detector multiplies")
	}
	random, sample := 4, 128
	switch text := os.Getenv(bodiesVariable); text {
	case "":
	case "sample":
		random, sample = 40, 16
	default:
		var err error
		if random, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
		sample = 1
	}
	for name, env := range largeEnvironments() {
		t.Run(name, func(t *testing.T) {
			m := newMetered(t, map[string]*snapshot.Reader{"demo": searchtest.Snaptest(t, env.items)})
			bodies := corpora(t)
			bodies["large"] = searchtest.LargeBodies()[name]
			addRandom(t, bodies, env.items, random)
			m.tryOthers()
			for _, from := range slices.Sorted(maps.Keys(bodies)) {
				var worst usage
				codes := map[string]int{}
				step := sample
				if len(bodies[from]) < 100 {
					step = max(step/16, 1)
				}
				for i := 0; i < len(bodies[from]); i += step {
					took, code := m.tryAll(env.names.Replace(bodies[from][i]))
					worst = worst.worse(took)
					codes[code]++
				}
				t.Logf("%s: at most %s, %s and %d KiB between two looks, %d KiB in use; %v", from, worst.cpu, worst.gap, worst.most>>10, worst.peak>>10, codes)
			}
		})
	}
}

// addRandom adds random bodies: such as searchtest makes, and of the costly parts.
func addRandom(t *testing.T, bodies map[string][]string, items []string, n int) {
	next := searchtest.Bodies(t, rand.New(rand.NewPCG(1, 2)), items)
	rng := rand.New(rand.NewPCG(3, 4))
	c := costlyBody{Wrap: "should", Size: address.MaxSize}
	for range n {
		bodies["random"] = append(bodies["random"], string(next()))
		if other := c.mutated(rng); len(other.text()) <= costlyLength {
			bodies["random, costly"] = append(bodies["random, costly"], other.text())
			if c = other; rng.IntN(4) == 0 { // much of everything is refused at once
				c = costlyBody{Wrap: costlyWraps[rng.IntN(len(costlyWraps))], Size: costlySizes[rng.IntN(len(costlySizes))]}
			}
		}
	}
}

// tryAll sends a body to the endpoints that evaluate it, and returns the worst of what they take and
// the problem of a search.
func (m *metered) tryAll(body string) (worst usage, code string) {
	targets := []string{"/cda/es/v1/demo/_search", "/cda/es/v1/demo"}
	var parts struct{ Query json.RawMessage }
	if json.Unmarshal([]byte(body), &parts) == nil && parts.Query != nil {
		targets = append(targets, "/cda/es/v1/demo/_validate/query?explain=true", "/cda/es/v1/demo/_explain/L001")
	}
	for i, target := range targets {
		sent := body
		if i >= 2 {
			sent = `{"query":` + string(parts.Query) + "}"
		}
		took, problem := m.try(target, sent)
		if worst = worst.worse(took); i == 0 {
			code = problem
		}
	}
	return worst, code
}

// tryOthers sends requests that no body of a search stands for.
func (m *metered) tryOthers() {
	const root = "/cda/es/v1/demo"
	search := `{"size":12,"query":{"query_string":{"query":"bread"}}}`
	for _, r := range []struct{ target, body string }{
		{"/cda/rest/v1/demo/contents?pageSize=100", ""}, {"/cda/rest/v1/demo/contents?sort=Data.body&pageSize=100", ""},
		{"/cda/rest/v1/demo/contents/L001", ""}, {root + "/_doc/L001?pretty&_source_includes=*.t,*body", ""},
		{root + "?searchByTemplateName=Page", search}, {root + "/_mapping?pretty", ""}, {root + "/_field_caps?fields=*,*.keyword&pretty", ""},
		{root + "/_search?q=bread&pretty&filter_path=hits.hits._source.*,-**.body", ""}, {root + "/_count", search[:1] + search[11:]},
		{root + "/_msearch", strings.Repeat("{}\n"+search+"\n", 16)}, {root + "/_mget?pretty", `{"ids":["L001","L002","L003","L001","L002"]}`},
		{root + "/_analyze", `{"text":"` + strings.Repeat("bread ", 30000) + `"}`},
		{root + "/_search", strings.Repeat("[", 100000)}, {root + "/_search", `{"query":{"terms":{"Data.n":[` + strings.Repeat("1,", 100000) + `1]}}}`},
	} {
		m.try(r.target, r.body)
	}
}

// try sends a body, and fails if each time the request takes more than it may.
func (m *metered) try(target, body string) (took usage, code string) {
	var wrong []string
	for range measured {
		took, code = m.respond(target, []byte(body))
		if wrong = took.exceeds(); wrong == nil {
			return took, code
		}
	}
	m.t.Errorf("%s of %.1000s: %s\n%s", target, body, code, strings.Join(wrong, "\n"))
	return took, code
}
