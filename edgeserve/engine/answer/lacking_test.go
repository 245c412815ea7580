// These tests compare the responses from search-only snapshots with those from the snapshots that these were
// made of.

package answer_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/answer"
	"contentedge/edgeserve/engine/searchtest"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/envelope"
	"contentedge/edgeserve/wire/problem"
	"contentedge/edgeserve/wire/release"
)

// twoSites are a release with its items, and the same release from search-only snapshots.
type twoSites struct {
	t           *testing.T
	whole, bare *answer.Release
	files       map[string][]byte
	rounds      int // of the last request
	fetched     int // files, in all
}

const demo = "demo"

func newTwoSites(t *testing.T, r *snapshot.Reader) *twoSites {
	t.Helper()
	m := &release.Manifest{Build: "0123456789abcdef", Defaults: release.Defaults{Sort: "CreatedAt", PageSize: 10}, Environments: []release.Environment{{ID: demo}}}
	s := &twoSites{t: t, files: map[string][]byte{}}
	s.whole = answer.FromSnapshots(m, map[string]*snapshot.Reader{demo: r})
	s.bare = answer.FromSnapshots(m, map[string]*snapshot.Reader{demo: searchOnly(t, r)})
	for d := range snapshot.DocID(r.Items()) {
		s.files[address.ItemFile(demo, r.ID(d))] = envelope.AppendItem(nil, r.Fragment(d))
	}
	return s
}

// searchOnly makes the search-only snapshot of a snapshot.
func searchOnly(t *testing.T, r *snapshot.Reader) *snapshot.Reader {
	t.Helper()
	var b bytes.Buffer
	if err := r.WriteSearchOnly(&b); err != nil {
		t.Fatal(err)
	}
	bare, err := snapshot.OpenAny(b.Bytes())
	if err == nil {
		err = bare.Verify(nil)
	}
	if err == nil {
		err = bare.Check()
	}
	if err != nil {
		t.Fatal(err)
	}
	return bare
}

// reply is a response or a problem.
type reply struct {
	answer.Response
	Problem *problem.Problem
}

func (r reply) String() string {
	if r.Problem != nil {
		return "!" + r.Problem.Message
	}
	return fmt.Sprintf("%s\n%+v", r.Body, struct {
		release.Class
		File  string
		Total int
		Link  string
		Timed bool
	}{r.Class, r.File, r.Total, string(r.Link), r.Timed})
}

func (s *twoSites) ask(target, body string) (whole, bare reply) {
	s.t.Helper()
	var err error
	if whole.Response, whole.Problem, err = s.whole.Respond(target, []byte(body)); err != nil {
		s.t.Fatal(target, body, err)
	}
	return whole, s.askBare(target, body, func([]string) {})
}

// askBare answers from the search-only snapshot. It calls before before it fetches files.
func (s *twoSites) askBare(target, body string, before func(files []string)) (r reply) {
	s.t.Helper()
	path, query, _ := strings.Cut(target, "?")
	route, ok := address.ParsePath(path)
	if !ok {
		s.t.Fatal("no address: ", target)
	}
	round := 0
	for s.rounds = 0; ; s.rounds++ {
		response, lacking, p, err := s.bare.RespondWith(route, query, []byte(body), round)
		if err != nil && p != problem.Of(problem.Unreadable) {
			s.t.Fatal(target, body, err)
		}
		if len(lacking) == 0 {
			return reply{response, p}
		}
		if round == answer.Failed || round == answer.MaxRounds || len(lacking) > snapshot.MaxLacking {
			s.t.Fatalf("%s %s: round %d, %d files", target, body, s.rounds, len(lacking))
		}
		round++
		before(lacking)
		for _, name := range lacking {
			if file, ok := s.files[name]; !ok {
				round = answer.Failed
			} else {
				s.fetched++
				if err := s.bare.PutItem(name, bytes.Clone(file)); err != nil {
					s.t.Fatal(err)
				}
			}
		}
	}
}

func (s *twoSites) compare(target, body string) {
	s.t.Helper()
	whole, bare := s.ask(target, body)
	if bare.Problem != nil && bare.Problem.Code == problem.TooCostly && whole.Problem == nil {
		s.t.Errorf("%s %s: %s", target, body, bare.Problem.Message)
		return
	}
	if !reflect.DeepEqual(whole, bare) {
		s.t.Errorf("%s %s:\nwhole: %s\nbare:  %s", target, body, whole, bare)
	}
}

// TestLacking shows what responses from a search-only snapshot need: most need no item or one round.
func TestLacking(t *testing.T) {
	s := newTwoSites(t, searchtest.Named(t, demo, longItems(40)))
	long := longText(7)
	for _, c := range []struct {
		name, target, body string
		rounds             int
	}{
		{"an item", "/cda/rest/v1/demo/contents/C07", "", 1},
		{"an item that was fetched", "/cda/rest/v1/demo/contents/C07", "", 0},
		{"no item", "/cda/rest/v1/demo/contents/C99", "", 0},
		{"a list", "/cda/rest/v1/demo/contents?pageSize=10", "", 1},
		{"hits", "/cda/es/v1/demo/_search", `{"query":{"match":{"Data.text":"w13"}}}`, 1},
		{"a count", "/cda/es/v1/demo/_count", `{"query":{"match":{"Data.text":"w3"}}}`, 0},
		{"ids alone", "/cda/es/v1/demo/_search", `{"query":{"match":{"Data.text":"w4"}},"_source":false,"sort":["Name.keyword"]}`, 0},
		{"no hits", "/cda/es/v1/demo/_search", `{"size":0,"aggs":{"a":{"terms":{"field":"Name.keyword","include":"item.*"}}}}`, 0},
		{"prefix and pattern of short values", "/cda/es/v1/demo/_search", `{"size":0,"query":{"bool":{"must":[{"prefix":{"Name.keyword":"item"}},{"wildcard":{"Name.keyword":"*1*"}}]}}}`, 0},
		{"a long value that no item has", "/cda/es/v1/demo/_count", `{"query":{"term":{"Data.text.keyword":"text 7 and more"}}}`, 0},
		{"a long value", "/cda/es/v1/demo/_search", `{"_source":false,"query":{"term":{"Data.text.keyword":"` + longText(17) + `"}}}`, 1},
		{"almost a long value", "/cda/es/v1/demo/_search", `{"_source":false,"query":{"term":{"Data.text.keyword":"` + longText(18) + `x"}}}`, 1},
		{"the beginning of a long value", "/cda/es/v1/demo/_search", `{"_source":false,"query":{"term":{"Data.text.keyword":"` + long[:len(long)-1] + `"}}}`, 0},
		{"keys of long values", "/cda/es/v1/demo/_search", `{"size":0,"aggs":{"a":{"terms":{"field":"Data.text.keyword","size":3}}}}`, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.t = t
			if s.compare(c.target, c.body); s.rounds != c.rounds {
				t.Errorf("%d rounds, want %d", s.rounds, c.rounds)
			}
		})
	}
}

// longItems are items with a text that no keyword of a search-only snapshot holds whole.
func longItems(n int) (items []string) {
	for i := range n {
		items = append(items, fmt.Sprintf(`{"ContentID":"C%02d","CreatedAt":"2021-01-01T00:00:%02d.000Z","Name":"item %d","Data":{"text":%q}}`, i, 59-i%60, i, longText(i)))
	}
	return items
}

func longText(i int) string {
	return fmt.Sprintf("text %d and more%s", i, strings.Repeat(fmt.Sprintf(" w%d of it", i), 60))
}

// TestLackingRandom compares random bodies on random items.
func TestLackingRandom(t *testing.T) {
	seeds := 3
	if n, err := strconv.Atoi(os.Getenv("TEST_CONTENTEDGE_LACKING")); err == nil {
		seeds = n
	}
	for seed := range uint64(seeds) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 35))
			items := searchtest.Items(rnd, 60)
			s := newTwoSites(t, searchtest.Named(t, demo, items))
			next := searchtest.Bodies(t, rnd, items)
			for range 300 {
				body := string(next())
				s.bare = answer.FromSnapshots(s.whole.Manifest, map[string]*snapshot.Reader{demo: searchOnlyAgain(t, s, rnd)})
				s.compare("/cda/es/v1/demo/_search", body)
			}
		})
	}
}

func searchOnlyAgain(t *testing.T, s *twoSites, rnd *rand.Rand) *snapshot.Reader {
	if r := s.bare.Environments[demo].Fields.Reader; rnd.IntN(4) > 0 {
		return r // with the items of earlier responses
	}
	return searchOnly(t, s.whole.Environments[demo].Fields.Reader)
}

// Responses that read too many items are refused, and so are items that cannot be had or are other ones.
func TestLackingRefuses(t *testing.T) {
	items := longItems(snapshot.MaxLacking + 1)
	for i := range items {
		items[i] = strings.Replace(items[i], `:"C`, fmt.Sprintf(`:"%dC`, i), 1)
	}
	s := newTwoSites(t, searchtest.Named(t, demo, items))
	const search = "/cda/es/v1/demo/_search"
	var names []string
	for _, c := range []struct {
		name, body, code string
		before           func(files []string)
	}{
		{"a page of too many items", `{"size":251}`, problem.TooCostly, nil},
		{"hits in buckets", `{"size":0,"aggs":{"a":{"terms":{"field":"ContentID.keyword","size":300},"aggs":{"b":{"top_hits":{"size":1}}}}}}`, problem.TooCostly, nil},
		{"a pattern that reads all long values", `{"size":0,"query":{"regexp":{"Data.text.keyword":".*it"}}}`, problem.TooCostly, nil},
		{"a page of items that are not there", `{"size":3,"from":20}`, problem.Unreadable, func(files []string) {
			names = files
			for _, name := range files {
				delete(s.files, name)
			}
		}},
		{"as many items as are allowed", `{"size":200,"from":50}`, "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.t = t
			r := s.askBare(search, c.body, func(files []string) {
				if c.before != nil {
					c.before(files)
				}
			})
			if code := ""; r.Problem != nil {
				if code = r.Problem.Code; code != c.code {
					t.Errorf("%s: %s", code, r.Problem.Message)
				}
			} else if c.code != "" {
				t.Errorf("%.200s", r.Body)
			}
		})
	}
	other := envelope.AppendItem(nil, []byte(`{"ContentID":"1C01"}`))
	for name, file := range map[string][]byte{names[0]: other, names[1]: []byte("<html>"), names[2]: nil, "manifest.json": other, "cda/rest/v1/other/contents/1C01.json": other} {
		if err := s.bare.PutItem(name, file); err == nil {
			t.Errorf("PutItem(%s, %s) took it", name, file)
		}
	}
}
