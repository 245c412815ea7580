package cluster_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/answer"
	"contentedge/edgeserve/engine/cluster"
	"contentedge/edgeserve/engine/elastic"
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/hits"
	"contentedge/edgeserve/engine/releasedir"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/problem"
	"contentedge/edgeserve/wire/release"
)

// recorded is a request, what a node of OpenSearch 2.19 answered to it, and what a snapshot of the same items answers.
// TestRecord of scripts/elasticsearch.d writes the file.
type recorded struct {
	Name, Target string
	Body         json.RawMessage
	Response     string // "": no node was asked
	Want         string // "": Problem says why
	Problem      string
	Timed        bool
}

// play reads the recorded requests, and the release that they are about.
func play(t testing.TB) (m *release.Manifest, twin *snapshot.Reader, list []recorded) {
	file, err := os.Open("testdata/recorded.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var head struct {
		Env      release.Environment
		Defaults release.Defaults
	}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for first := true; lines.Scan(); first = false {
		var line recorded
		into := any(&line)
		if first {
			into = &head
		}
		if err := json.Unmarshal(lines.Bytes(), into); err != nil {
			t.Fatal(err)
		}
		if !first {
			list = append(list, line)
		}
	}
	m = &release.Manifest{Format: release.NewestFormat, Defaults: head.Defaults, Environments: []release.Environment{head.Env}}
	if twin, err = releasedir.FieldsOnly(m, &m.Environments[0]); err != nil {
		t.Fatal(err)
	}
	return m, twin, list
}

// player is a Transport that answers every request alike, but those for the span of a histogram's field.
type player struct {
	response string
	err      error
	asked    []cluster.Request
	held     int // responses that are not released
}

// Do implements cluster.Transport. A response is overwritten once it is released.
func (p *player) Do(_ context.Context, r cluster.Request) ([]byte, func(), error) {
	if span, ok := spanFor(r, "0.0", "1000.0"); ok {
		return []byte(span), func() {}, nil
	}
	p.asked = append(p.asked, r)
	if p.err != nil {
		return nil, nil, p.err
	}
	response := []byte(p.response)
	p.held++
	return response, func() {
		p.held--
		for i := range response {
			response[i] = '#'
		}
	}, nil
}

// answers returns the answers of a release whose index is behind a Transport.
func answers(m *release.Manifest, twin *snapshot.Reader, t cluster.Transport) *answer.Release {
	env := m.Environments[0]
	return &answer.Release{Manifest: m, Environments: map[string]*elastic.Index{env.ID: {
		Items: cluster.New(env, twin, "site-0123456789abcdef", 1, t), Fields: fields.Resolver{Reader: twin},
	}}}
}

// TestCluster answers requests from the responses of a node as a snapshot answers them, byte for byte.
func TestCluster(t *testing.T) {
	m, twin, list := play(t)
	if len(list) < 40 {
		t.Fatalf("%d requests are recorded", len(list))
	}
	for _, r := range list {
		t.Run(r.Name, func(t *testing.T) {
			p := &player{response: onIndex(r.Response)}
			got, problem, err := answers(m, twin, p).Respond(r.Target, r.Body)
			if r.Problem != "" {
				if err != nil || problem == nil || problem.Code != r.Problem || len(p.asked) > 0 {
					t.Errorf("%+v %v, want %s and no request: %d", problem, err, r.Problem, len(p.asked))
				}
				return
			}
			body := strings.Replace(string(got.Body), `,"approximate":true}`, "}", 1) // a snapshot has nothing to tell
			if err != nil || problem != nil || body != r.Want || got.Timed != r.Timed || p.held != 0 {
				t.Errorf("%+v %v %v\n got %s\nwant %s\nfrom %s", problem, err, got.Timed, got.Body, r.Want, r.Response)
			}
			if len(p.asked) != 1 || p.asked[0].Path != "/site-0123456789abcdef/_search" || p.asked[0].Method != "POST" || p.asked[0].MaxResponse < int64(len(r.Response)) {
				t.Errorf("asked %+v", p.asked)
			}
		})
	}
}

// TestStatusError says no more than a node did.
func TestStatusError(t *testing.T) {
	for want, e := range map[string]cluster.StatusError{
		"the cluster answered with status 502":                   {Status: 502},
		"the cluster answered with status 401: access denied":    {Status: 401, Reason: "access denied"},
		"the cluster answered with status 404: a_type: a reason": {Status: 404, Type: "a_type", Reason: "a reason"},
	} {
		if got := e.Error(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// onIndex gives the hits of a response the name of the index.
func onIndex(response string) string {
	return strings.ReplaceAll(response, `"_index":"site"`, `"_index":"site-0123456789abcdef"`)
}

// TestFaults answers no response as 200 that is not whole, or not what was asked for.
func TestFaults(t *testing.T) {
	m, twin, list := play(t)
	whole := func(name string) (body, response string) {
		for _, r := range list {
			if r.Name == name {
				return string(r.Body), onIndex(r.Response)
			}
		}
		t.Fatal(name)
		return "", ""
	}
	const search = "/cda/es/v1/site/_search"
	body, best := whole("the best hits")
	aggs, terms := whole("aggregation bucket_sort")
	change := func(of, from, to string) string {
		t.Helper()
		if !strings.Contains(of, from) {
			t.Fatalf("no %s in %s", from, of)
		}
		return strings.Replace(of, from, to, 1)
	}
	for name, tt := range map[string]struct {
		body, response string
		err            error
		want           string
	}{
		"a shard failed":                  {body, change(best, `"failed":0`, `"failed":1`), nil, problem.SearchUnavailable},
		"a shard is missing":              {body, change(best, `"successful":1`, `"successful":0`), nil, problem.SearchUnavailable},
		"another number of shards":        {body, change(best, `{"total":1,"successful":1`, `{"total":3,"successful":3`), nil, problem.SearchUnavailable},
		"no shards":                       {body, change(best, `"_shards"`, `"_parts"`), nil, problem.SearchUnavailable},
		"its time was over":               {body, change(best, `"timed_out":false`, `"timed_out":true`), nil, problem.SearchUnavailable},
		"nothing about its time":          {body, change(best, `"timed_out":false,`, ``), nil, problem.SearchUnavailable},
		"a total that is not exact":       {body, change(best, `"relation":"eq"`, `"relation":"gte"`), nil, problem.SearchUnavailable},
		"a negative total":                {body, change(best, `"value":`, `"value":-`), nil, problem.SearchUnavailable},
		"cut short":                       {body, best[:len(best)-1], nil, problem.SearchUnavailable},
		"nothing":                         {body, "", nil, problem.SearchUnavailable},
		"a page of HTML":                  {body, "<html></html>", nil, problem.SearchUnavailable},
		"another JSON":                    {body, `[]`, nil, problem.SearchUnavailable},
		"two values":                      {body, best + best, nil, problem.SearchUnavailable},
		"no UTF-8":                        {body, change(best, `"hits":[`, "\"x\":\"\xff\",\"hits\":["), nil, problem.SearchUnavailable},
		"hits that are a number":          {body, change(best, `"hits":[`, `"hits":7,"x":[`), nil, problem.SearchUnavailable},
		"a hit without its id":            {body, change(best, `"_id"`, `"_ix"`), nil, problem.SearchUnavailable},
		"a hit without its item":          {body, change(best, `"_source"`, `"_sauce"`), nil, problem.SearchUnavailable},
		"a hit of another index":          {body, change(best, `"_index":"site-0123456789abcdef"`, `"_index":"other"`), nil, problem.SearchUnavailable},
		"an item without its rank":        {body, change(best, `"rank·"`, `"wrong"`), nil, problem.SearchUnavailable},
		"a score that is a text":          {body, change(best, `"_score":`, `"_score":"x","y":`), nil, problem.SearchUnavailable},
		"more hits than were asked for":   {`{"size":1}`, best, nil, problem.SearchUnavailable},
		"deep brackets":                   {body, strings.Repeat(`[`, 1<<20), nil, problem.SearchUnavailable},
		"deep members":                    {body, change(best, `"timed_out"`, `"x":`+strings.Repeat(`{"x":[`, 20000)+strings.Repeat(`]}`, 20000)+`,"timed_out"`), nil, problem.SearchUnavailable},
		"no aggregations":                 {aggs, best, nil, problem.SearchUnavailable},
		"aggregations without buckets":    {aggs, change(terms, `"buckets":[`, `"baskets":[`), nil, problem.SearchUnavailable},
		"a bucket without its count":      {aggs, strings.ReplaceAll(terms, `"doc_count":`, `"count":`), nil, problem.SearchUnavailable},
		"buckets that are a text":         {aggs, change(terms, `"buckets":[`, `"buckets":"x","y":[`), nil, problem.SearchUnavailable},
		"a bucket that is a number":       {aggs, change(terms, `"buckets":[`, `"buckets":[1,`), nil, problem.SearchUnavailable},
		"aggregations that are too long":  {aggs, change(terms, `"key":`, `"key":"`+strings.Repeat("x", 17<<20)+`","x":`), nil, problem.TooManyBuckets},
		"buckets that never end":          {aggs, change(terms, `"buckets":[`, `"buckets":[`+strings.Repeat(`{"key":"","doc_count":1,"agg000":{"value":1.0}},`, 65536)), nil, problem.TooManyBuckets},
		"a deep key":                      {aggs, change(terms, `"key":`, `"key":`+strings.Repeat(`[`, 300)+strings.Repeat(`]`, 300)+`,"x":`), nil, problem.SearchUnavailable},
		"no node":                         {body, "", cluster.ErrUnavailable, problem.SearchUnavailable},
		"an error without a name":         {body, "", errors.New("x"), problem.SearchUnavailable},
		"an index that is not there":      {body, "", &cluster.StatusError{Status: 404, Type: "index_not_found_exception", Reason: "no such index [site-0123456789abcdef]"}, problem.SearchUnavailable},
		"an index that somebody closed":   {body, "", &cluster.StatusError{Status: 400, Type: "index_closed_exception", Reason: "closed"}, problem.SearchUnavailable},
		"too many requests":               {body, "", &cluster.StatusError{Status: 429, Type: "rejected_execution_exception"}, problem.SearchUnavailable},
		"a circuit breaker":               {body, "", &cluster.StatusError{Status: 429, Type: "circuit_breaking_exception"}, problem.SearchUnavailable},
		"all shards failed":               {body, "", &cluster.StatusError{Status: 503, Type: "search_phase_execution_exception"}, problem.SearchUnavailable},
		"wrong credentials":               {body, "", &cluster.StatusError{Status: 401}, problem.SearchUnavailable},
		"a failure of a node":             {body, "", &cluster.StatusError{Status: 500, Type: "null_pointer_exception"}, problem.SearchUnavailable},
		"too many buckets":                {aggs, "", &cluster.StatusError{Status: 503, Type: "too_many_buckets_exception"}, problem.TooManyBuckets},
		"too many clauses":                {body, "", &cluster.StatusError{Status: 400, Type: "too_many_nested_clauses"}, problem.TooManyClauses},
		"too many terms of a rule":        {body, "", &cluster.StatusError{Status: 500, Type: "illegal_state_exception", Reason: "Automaton [in*] expanded to too many terms (limit 128)"}, problem.TooManyClauses},
		"too many terms of a span":        {body, "", &cluster.StatusError{Status: 500, Type: "runtime_exception", Reason: "[Data.description:c* ] exceeds maxClauseCount [ Boolean maxClauseCount is set to 1024]"}, problem.TooManyClauses},
		"another illegal state":           {body, "", &cluster.StatusError{Status: 500, Type: "illegal_state_exception", Reason: "x"}, problem.SearchUnavailable},
		"a body that the cluster refuses": {body, "", &cluster.StatusError{Status: 400, Type: "query_shard_exception", Reason: "[site-0123456789abcdef] failed"}, problem.BadQuery},
		"a type of error that is none":    {body, "", &cluster.StatusError{Status: 400, Type: "site-0123456789abcdef"}, problem.BadQuery},
		"a response that is too long":     {body, "", cluster.ErrTooLarge, problem.TooCostly},
		"a reason of 3 MB":                {body, "", &cluster.StatusError{Status: 400, Type: strings.Repeat("x", 3<<20), Reason: strings.Repeat("x", 3<<20)}, problem.BadQuery},
	} {
		t.Run(name, func(t *testing.T) {
			p := &player{response: tt.response, err: tt.err}
			got, found, cause := answers(m, twin, p).Respond(search, []byte(tt.body))
			if found == nil {
				t.Fatalf("200 %.300s", got.Body)
			}
			text := found.Message
			if found.Code != tt.want || strings.Contains(text, "0123456789abcdef") || len(text) > 300 || p.held != 0 {
				t.Errorf("%s %.300s, want %s", found.Code, text, tt.want)
			}
			if _, ok := errors.AsType[*hits.Unavailable](cause); ok != (tt.want == problem.SearchUnavailable) {
				t.Errorf("the cause is %.300v", cause)
			}
		})
	}
}

// TestCancelled reports the time of a request that is over, not the node's error.
func TestCancelled(t *testing.T) {
	m, twin, _ := play(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	x := cluster.New(m.Environments[0], twin, "site-1", 1, &player{err: ctx.Err()})
	_, err := x.Search(within(ctx), bodyOf(t, `{}`), true)
	if err == nil || !strings.Contains(err.Error(), "time limit") {
		t.Error(err)
	}
}

// FuzzResponse reads any response without a panic, and writes JSON.
func FuzzResponse(f *testing.F) {
	m, twin, list := play(f)
	for i, r := range list {
		if r.Response != "" {
			f.Add(i, []byte(onIndex(r.Response)))
		}
	}
	f.Fuzz(func(t *testing.T, i int, response []byte) {
		r := list[uint(i)%uint(len(list))]
		got, _, cause := answers(m, twin, &player{response: string(response)}).Respond(r.Target, r.Body)
		if got.Body != nil && !json.Valid(got.Body) {
			t.Errorf("%s: %s", r.Name, got.Body)
		}
		if _, ok := errors.AsType[*snapshot.CorruptError](cause); ok {
			t.Errorf("%s: %v", r.Name, cause)
		}
	})
}

// BenchmarkRespond measures what the edge adds to a search of a cluster: all of a request but the node's time.
func BenchmarkRespond(b *testing.B) {
	m, twin, list := play(b)
	for _, r := range list {
		switch r.Name {
		case "the best hits", "aggregation terms", "aggregation metrics", "highlights":
			v := answers(m, twin, &player{response: onIndex(r.Response)})
			b.Run(r.Name, func(b *testing.B) {
				b.SetBytes(int64(len(r.Response)))
				for b.Loop() {
					if _, p, err := v.Respond(r.Target, r.Body); p != nil {
						b.Fatal(p, err)
					}
				}
			})
		}
	}
}
