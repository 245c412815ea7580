// This file sends requests to an edge server at a constant rate, whatever becomes of them, and compares each response with
// that of the snapshot of its release.

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"contentedge/edgeserve/wire/httpfield"
)

// faultEnv is the environment of the content.
const faultEnv = "faults"

// faultItems is the number of its items. All requests are cheap: faults are what is measured.
const faultItems = 2000

var faultWords = strings.Fields("amber birch cedar delta ember fjord grove haven islet jetty knoll lagoon")

// writeFaultContent writes items that differ from release to release.
func writeFaultContent(dir string, release int) error {
	if err := os.MkdirAll(filepath.Join(dir, faultEnv), 0o755); err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(uint64(release), 1))
	var lines strings.Builder
	for i := range faultItems {
		item, err := json.Marshal(map[string]any{
			"ContentID": fmt.Sprintf("Content_%06d", i), "TemplateID": "Template_1", "TemplateName": "Note", "Status": "Published",
			"Name":      fmt.Sprintf("%s %d of release %d", faultWords[r.IntN(len(faultWords))], i, release),
			"CreatedAt": time.Date(2024, 1, 1, 0, i, r.IntN(60), 0, time.UTC).Format("2006-01-02T15:04:05.000Z"),
			"Data":      map[string]any{"text": someWords(r), "group": faultWords[r.IntN(len(faultWords))], "count": r.IntN(1000)},
		})
		if err != nil {
			return err
		}
		lines.Write(append(item, '\n'))
	}
	return os.WriteFile(filepath.Join(dir, faultEnv, "items.ndjson"), []byte(lines.String()), 0o644)
}

func someWords(r *rand.Rand) string {
	var words []string
	for range 5 + r.IntN(20) {
		words = append(words, faultWords[r.IntN(len(faultWords))])
	}
	return strings.Join(words, " ")
}

// faultRequest is a search, or a list without a body.
type faultRequest struct{ path, body string }

func faultRequests() (all []faultRequest) {
	search := func(format string, args ...any) {
		all = append(all, faultRequest{"/cda/es/v1/" + faultEnv, fmt.Sprintf(format, args...)})
	}
	for i, word := range faultWords {
		next := faultWords[(i+1)%len(faultWords)]
		search(`{"query":{"match":{"Data.text":"%s %s"}},"size":5}`, word, next)
		search(`{"query":{"match_phrase":{"Data.text":"%s %s"}},"size":3}`, word, next)
		search(`{"query":{"bool":{"filter":[{"term":{"Data.group":"%s"}},{"range":{"Data.count":{"gte":%d}}}]}},"sort":[{"Data.count":"desc"}],"size":10}`, word, i*50)
		search(`{"query":{"term":{"Data.group":"%s"}},"size":0,"aggs":{"n":{"avg":{"field":"Data.count"}},"g":{"terms":{"field":"Data.group.keyword"}}}}`, word)
		all = append(all, faultRequest{fmt.Sprintf("/cda/rest/v1/%s/contents?pageSize=%d&page=%d", faultEnv, 3+i, 2+i), ""})
	}
	return all
}

// send sends a request, and returns the release of the response too.
func (r faultRequest) send(client *http.Client, url string) (status int, body, build string, err error) {
	method := http.MethodGet
	if r.body != "" {
		method = http.MethodPost
	}
	req, err := http.NewRequest(method, url+r.path, strings.NewReader(r.body))
	if err != nil {
		return 0, "", "", err
	}
	if r.body != "" {
		req.Header.Set(httpfield.ContentType, "application/json")
	}
	res, err := client.Do(req)
	if err != nil {
		return 0, "", "", err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	return res.StatusCode, string(text), res.Header.Get(httpfield.Release), err
}

// window is what became of the requests of a time.
type window struct {
	name                              string
	begin, mendedAt, end              time.Time
	sent, right, wrong, unavailable   int
	other                             int
	firstUnavailable, lastUnavailable time.Time
	took                              []time.Duration // of responses with 200
	slowest                           time.Duration
	codes                             map[string]int // of responses with 503
}

// errorCode returns the code of an error; "" if it is none of an edge server.
func errorCode(body string) string {
	var e struct{ Error struct{ Code string } }
	if json.Unmarshal([]byte(body), &e) != nil {
		return ""
	}
	return e.Error.Code
}

// traffic sends requests.
type traffic struct {
	t        *testing.T
	url      string
	requests []faultRequest
	expected map[string][]string // bodies by release
	client   *http.Client

	mu       sync.Mutex
	current  *window
	windows  []*window
	troubled time.Time // the last response that was not right
}

// mostOutstanding is the number of requests that wait at most: an edge server that hangs shall not take this machine.
const mostOutstanding = 2000

func startTraffic(t *testing.T, url string, requests []faultRequest, expected map[string][]string, rate int) *traffic {
	t.Helper()
	s := &traffic{t: t, url: url, requests: requests, expected: expected, troubled: time.Now(), current: &window{name: "before", begin: time.Now(), codes: map[string]int{}}}
	s.client = &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: mostOutstanding}}
	stop, slots := make(chan struct{}), make(chan struct{}, mostOutstanding)
	var all sync.WaitGroup
	all.Go(func() {
		tick := time.NewTicker(time.Second / time.Duration(rate))
		defer tick.Stop()
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			case <-tick.C:
				slots <- struct{}{}
				all.Go(func() {
					s.one(rand.IntN(len(requests)))
					<-slots
				})
			}
		}
	})
	t.Cleanup(func() {
		close(stop)
		all.Wait()
		s.client.CloseIdleConnections()
	})
	return s
}

// one sends a request and judges the response.
func (s *traffic) one(i int) {
	s.mu.Lock()
	w := s.current
	w.sent++
	s.mu.Unlock()
	began := time.Now()
	status, body, build, err := s.requests[i].send(s.client, s.url)
	took := time.Since(began)
	s.mu.Lock()
	defer s.mu.Unlock()
	w.slowest = max(w.slowest, took)
	switch {
	case err == nil && status == http.StatusOK && s.expected[build] != nil && s.expected[build][i] == body:
		w.right++
		w.took = append(w.took, took)
		return
	case err == nil && status == http.StatusOK:
		if w.wrong++; w.wrong <= 3 {
			s.t.Errorf("%s: a wrong response of release %q to %+v:\n%s", w.name, build, s.requests[i], body)
		}
	case err == nil && status == http.StatusServiceUnavailable && errorCode(body) != "":
		w.unavailable++
		w.codes[errorCode(body)]++
		if w.firstUnavailable.IsZero() {
			w.firstUnavailable = time.Now()
		}
		w.lastUnavailable = time.Now()
	default:
		if w.other++; w.other <= 3 {
			s.t.Errorf("%s: %v, status %d: %s", w.name, err, status, body)
		}
	}
	s.troubled = time.Now()
}

// window begins a window.
func (s *traffic) window(name string) *window {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current = &window{name: name, begin: time.Now(), codes: map[string]int{}}
	return s.current
}

// calm reports whether all responses have been right for some time.
func (s *traffic) calm(d time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Since(s.troubled) >= d && time.Since(s.current.begin) >= d
}

func (s *traffic) close(w *window) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.end = time.Now()
	s.windows = append(s.windows, w)
	s.t.Log(w)
}

// report prints a table.
func (s *traffic) report() {
	s.mu.Lock()
	defer s.mu.Unlock()
	var lines strings.Builder
	lines.WriteString("| fault | s | requests | wrong | 503 | their codes, from, to (s) | p50 | p99 | slowest |\n|---|---:|---:|---:|---:|---|---:|---:|---:|\n")
	for _, w := range s.windows {
		lines.WriteString(w.String() + "\n")
	}
	s.t.Log("\n" + lines.String())
}

// String is a row of the table. The last column has the slowest response with 200, or of any status.
func (w *window) String() string {
	slices.Sort(w.took)
	at := func(q float64) time.Duration {
		if len(w.took) == 0 {
			return 0
		}
		return w.took[int(q*float64(len(w.took)-1))].Round(time.Millisecond)
	}
	span := ""
	if w.unavailable > 0 {
		span = fmt.Sprintf("%v %.1f, %.1f", w.codes, w.firstUnavailable.Sub(w.begin).Seconds(), w.lastUnavailable.Sub(w.begin).Seconds())
	}
	return fmt.Sprintf("| %s | %.0f, mended at %.0f | %d | %d | %d | %s | %s | %s | %s |", w.name, w.end.Sub(w.begin).Seconds(), w.mendedAt.Sub(w.begin).Seconds(),
		w.sent, w.wrong+w.other, w.unavailable, span, at(0.5), at(0.99), w.slowest.Round(time.Millisecond))
}
