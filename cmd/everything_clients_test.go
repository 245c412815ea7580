// This file has the ordinary clients. Each response is compared with the expected one
// of the release that it names.
package cmd

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const (
	ordinaryClients = 6
	ordinaryRate    = 300 // requests per second of all clients
	ordinaryTimeout = 10 * time.Second
	ordinaryShown   = 5 // failures of a kind that are described
)

// ordinaryCounts are the results of ordinary requests.
type ordinaryCounts struct {
	ok, refused, failed, wrong atomic.Int64

	mu      sync.Mutex
	moments []moment
}

// moment is a time at which a release responded.
type moment struct {
	from, to time.Time
	build    string
}

func (c *ordinaryCounts) String() string {
	took := []time.Duration{0}
	for _, m := range c.moments {
		took = append(took, m.to.Sub(m.from))
	}
	slices.Sort(took)
	last := len(took) - 1
	return fmt.Sprintf("ok %d, 503 %d, failed %d, wrong %d, half in %s, 99%% in %s, all in %s", c.ok.Load(), c.refused.Load(), c.failed.Load(), c.wrong.Load(),
		took[last/2].Round(10*time.Microsecond), took[last*99/100].Round(10*time.Microsecond), took[last].Round(10*time.Microsecond))
}

// ordinaryTargets are the clients' requests; a target with a body after a space is a
// search.
var ordinaryTargets = func() (targets []string) {
	const lists, search = "/cda/rest/v1/site/contents", "/cda/es/v1/site "
	for i := range 100 {
		targets = append(targets, fmt.Sprintf("%s/Content_%d", lists, i*9), fmt.Sprintf("%s?page=%d", lists, i+1),
			search+fmt.Sprintf(`{"query":{"match":{"Name":"%d"}}}`, i*7), search+fmt.Sprintf(`{"size":3,"query":{"query_string":{"query":"word%d AND some"}}}`, i%97))
	}
	for i := range 20 {
		targets = append(targets, fmt.Sprintf("%s?pageSize=50&page=%d", lists, i+1), fmt.Sprintf("%s?pageSize=100&sort=Name&page=%d", lists, i%10+1), fmt.Sprintf("%s?searchByName=item%%20%d", lists, i),
			fmt.Sprintf("%s?searchByTemplateName=T%d&sort=Name&sortAsc=true&pageSize=7", lists, i%5))
	}
	return append(targets, search+`{"size":0,"aggs":{"t":{"terms":{"field":"Data.mark.keyword"}}}}`, search+`{"size":5,"query":{"wildcard":{"Name":"*42*"}}}`)
}()

// targetRequest builds the request for a target.
func targetRequest(base, target string) *http.Request {
	path, body, search := strings.Cut(target, " ")
	method, content := "GET", io.Reader(nil)
	if search {
		method, content = "POST", strings.NewReader(body)
	}
	r, err := http.NewRequest(method, base+path, content)
	if err != nil {
		panic(err) // an invalid target
	}
	return r
}

// learn records a release's responses from a separate server.
func (e *everything) learn(t *testing.T, build, base string) {
	for _, target := range ordinaryTargets {
		r, err := http.DefaultClient.Do(targetRequest(base, target))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil || r.StatusCode != http.StatusOK || r.Header.Get("X-Release") != build {
			t.Fatalf("%s: %d of %s, %v: %s", target, r.StatusCode, r.Header.Get("X-Release"), err, body)
		}
		if e.right[target] == nil {
			e.right[target] = map[string]string{}
		}
		e.right[target][build] = string(body)
	}
}

// clientFrom is a client with its own address.
func clientFrom(ip string) *http.Client {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(ip)}}
	return &http.Client{Timeout: ordinaryTimeout, Transport: &http.Transport{DialContext: dialer.DialContext, DisableCompression: true, MaxIdleConnsPerHost: fairClients}}
}

// ordinaryClient is a visitor with cached responses.
type ordinaryClient struct {
	*everything
	t    *testing.T
	http *http.Client
	seen map[string]answered // by target
}

// answered is a cached response.
type answered struct{ tag, body string }

// askAll requests all targets once, to warm up the server.
func (e *everything) askAll(t *testing.T) {
	c := e.newClient(t, "127.0.0.1")
	defer c.http.CloseIdleConnections()
	for _, target := range ordinaryTargets {
		c.ask(target, "", false)
	}
}

func (e *everything) newClient(t *testing.T, ip string) *ordinaryClient {
	return &ordinaryClient{e, t, clientFrom(ip), map[string]answered{}}
}

// startOrdinary starts the clients at their rate.
func (e *everything) startOrdinary(t *testing.T, ctx context.Context, all *sync.WaitGroup) {
	for i := range ordinaryClients {
		all.Go(func() {
			c := e.newClient(t, fmt.Sprintf("127.0.0.%d", i+2))
			defer c.http.CloseIdleConnections()
			tick := time.NewTicker(ordinaryClients * time.Second / ordinaryRate)
			defer tick.Stop()
			for {
				select {
				case <-ctx.Done():
					return
				case <-tick.C:
				}
				coding := ""
				if rand.IntN(3) == 0 {
					coding = "gzip"
				}
				c.ask(ordinaryTargets[rand.IntN(len(ordinaryTargets))], coding, rand.IntN(2) == 0)
				if rand.IntN(20) == 0 {
					c.http.CloseIdleConnections()
				}
			}
		})
	}
}

// ask requests a target and counts the result. With again it sends the cached entity
// tag.
func (c *ordinaryClient) ask(target, coding string, again bool) {
	q := targetRequest(c.base, target)
	if coding != "" {
		q.Header.Set("Accept-Encoding", coding)
	}
	had, again := c.seen[target], again && c.seen[target].tag != ""
	if again {
		q.Header.Set("If-None-Match", had.tag)
	}
	m := moment{from: time.Now()}
	r, err := c.http.Do(q)
	var body []byte
	if err == nil {
		body, err = io.ReadAll(r.Body)
		r.Body.Close()
	}
	if err != nil {
		c.note(&c.ordinary.failed, "%s: %v", target, err)
		return
	}
	m.to, m.build = time.Now(), r.Header.Get("X-Release")
	right, known := c.right[target][m.build]
	switch {
	case r.StatusCode == http.StatusServiceUnavailable && r.Header.Get("Retry-After") != "":
		c.note(&c.ordinary.refused, "%s: %s", target, body)
	case again && known && r.StatusCode == http.StatusNotModified && had.body == right && len(body) == 0:
		c.answeredAt(m)
	case known && r.StatusCode == http.StatusOK && decoded(r, body) == right:
		c.seen[target] = answered{r.Header.Get("ETag"), right}
		c.answeredAt(m)
	default:
		c.note(&c.ordinary.wrong, "%s is answered wrongly: %d %v %.300q", target, r.StatusCode, r.Header, body)
	}
}

// decoded is the decompressed body.
func decoded(r *http.Response, body []byte) string {
	if r.Header.Get("Content-Encoding") != "gzip" {
		return string(body)
	}
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return err.Error()
	}
	text, err := io.ReadAll(z)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// note counts a failed request and describes the first ones. The counts fail the test.
func (c *ordinaryClient) note(count *atomic.Int64, format string, args ...any) {
	if count.Add(1) <= ordinaryShown {
		c.t.Logf(format, args...)
	}
}

// answeredAt counts a correct response.
func (c *ordinaryClient) answeredAt(m moment) {
	c.ordinary.ok.Add(1)
	c.ordinary.mu.Lock()
	defer c.ordinary.mu.Unlock()
	c.ordinary.moments = append(c.ordinary.moments, m)
}
