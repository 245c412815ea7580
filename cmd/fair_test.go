// This file tests that clients with expensive searches do not starve others.
package cmd

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"contentedge/edgeserve/wire/address"
)

const (
	fairItems    = 3000
	fairAttacked = 3 * time.Second
	fairClients  = 64
	// fairSlowest is generous, because the attacking clients share the processors with other tests.
	// scripts/soak has them for itself, and measures with fairSoaked.
	fairSlowest = time.Second
	fairSoaked  = 10 * time.Millisecond
	// fairMemory is the limit of the server's memory.
	fairMemory = 256 << 20
)

// costliest are bodies near the work limit of a request.
func costliest() []string {
	repeat := func(n int, format string) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = strings.ReplaceAll(format, "%d", fmt.Sprint(i))
		}
		return strings.Join(parts, ",")
	}
	largest := strconv.Itoa(address.MaxSize)
	return []string{
		`{"size":` + largest + `,"_source":[` + repeat(100, `"*%d*e*t*x"`) + `]}`,
		`{"size":` + largest + `,"_source":{"excludes":[` + repeat(100, `"*a*o*%d"`) + `]}}`,
		`{"size":` + largest + `,"sort":[` + repeat(8, `"TemplateName","Status","CreatedBy","Data.m%d"`) + `]}`,
		`{"size":0,"query":{"bool":{"should":[` + repeat(200, `{"wildcard":{"Data.text":"*%d*o*"}}`) + `]}}}`,
		`{"size":0,"query":{"query_string":{"query":"*o* OR *e* OR /.*[ab]{3}.*/"}}}`,
		`{"size":0,"aggs":{` + repeat(99, `"a%d":{"terms":{"field":"ContentID.keyword","size":`+largest+`}}`) + `}}`,
		`{"size":0,"query":{"bool":{"should":[` + repeat(600, `{"fuzzy":{"Data.text.keyword":{"value":"words of item %d, sone of them lnog","fuzziness":2}}}`) + `]}}}`,
		`{"size":0,"query":{"bool":{"should":[` + repeat(300, `{"regexp":{"Data.text.keyword":".*(a|o|%d){3}.*"}}`) + `]}}}`,
		`{"size":0,"query":{"bool":{"should":[` + repeat(900, `{"multi_match":{"query":"words of item %d","fields":["*"],"type":"cross_fields"}}`) + `]}}}`,
		`{"size":100,"query":{"bool":{"should":[` + repeat(900, `{"function_score":{"query":{"match":{"Data.text":"item"}},"functions":[{"gauss":{"CreatedAt":{"origin":"2020-01-01","scale":"%dd"}}},{"random_score":{}}]}}`) + `]}}}`,
		`{"size":10,"query":{"bool":{"should":[` + repeat(900, `{"more_like_this":{"fields":["Data.text"],"like":["words of item %d, some of them long"],"min_term_freq":1,"min_doc_freq":1}}`) + `]}}}`,
		`{"size":10,"query":{"bool":{"should":[` + repeat(900, `{"span_near":{"clauses":[{"span_term":{"Data.text":"of"}},{"span_term":{"Data.text":"them"}}],"slop":%d}}`) + `]}}}`,
		`{"size":10,"query":{"bool":{"should":[` + repeat(900, `{"terms_set":{"Data.text":{"terms":["words","of","item","them","%d"],"minimum_should_match_field":"Data.m1"}}}`) + `]}}}`,
		`{"size":` + largest + `,"query":{"match":{"Data.text":"words of item long"}},"highlight":{"fields":{"*":{"number_of_fragments":0}}}}`,
		`{"suggest":{` + repeat(20, `"s%d":{"text":"wrods itme somee thme lnog wrds itm","term":{"field":"Data.text","suggest_mode":"always","min_word_length":1}}`) + `}}`,
		`{"size":` + largest + `,"query":{"match":{"Data.text":"words"}},"rescore":[` + repeat(16, `{"window_size":`+largest+`,"query":{"rescore_query":{"match_phrase":{"Data.text":{"query":"words long item","slop":9%d}}}}}`) + `]}`,
		`{"size":1000,"collapse":{"field":"ContentID.keyword","inner_hits":[` + repeat(16, `{"name":"i%d","size":100}`) + `]}}`,
		`{"size":` + largest + `,"sort":[{"CreatedAt":"desc"},` + repeat(8, `{"Data.m%d":{"order":"desc","missing":0}}`) + `],"search_after":[1800000000000,9,9,9,9,9,9,9,9]}`,
		`{"size":0,"aggs":{` + repeat(30, `"a%d":{"terms":{"field":"ContentID.keyword","size":1000},"aggs":{"b":{"date_histogram":{"field":"CreatedAt","calendar_interval":"day"},"aggs":{"c":{"stats":{"field":"Data.m1"}}}}}}`) + `}}`,
	}
}

func TestCostlySearchesLeaveOthersAnswered(t *testing.T) {
	if base := os.Getenv(attackVariable); base != "" {
		attack(t, base)
		return
	}
	bin := binaries(t, "generator", "edgeserve")
	public := fairSite(t, bin["generator"])
	length, slowest := fairAttacked, fairSlowest
	if text := os.Getenv("TEST_CONTENTEDGE_COSTLY_CLIENTS"); text != "" {
		var err error
		if length, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
		slowest = fairSoaked
	}
	edge := startEdge(t, bin["edgeserve"], public, "--memory-limit", strconv.Itoa(fairMemory), "--cache-bytes", "0")
	base := "http://" + edge.addr
	end := time.Now().Add(length)
	attackers := startAttack(t, base, length)
	client := neighbour(t)
	var took, searches []time.Duration
	asked, ok, memory := 0, 0, 0
	for ; time.Now().Before(end); asked++ {
		begun := time.Now()
		if ordinary(t, client, base, asked) {
			ok++
		}
		took = append(took, time.Since(begun))
		if asked%2 == 1 {
			searches = append(searches, took[asked])
		}
		memory = max(memory, edge.anonymous(t))
	}
	slices.Sort(took)
	slices.Sort(searches)
	if len(searches) == 0 {
		t.Fatal("no ordinary search was answered")
	}
	p99 := took[len(took)*99/100]
	t.Logf("%d of %d answered, half of them in %s, 99%% in %s, of the searches in %s; at most %d MiB of memory; costly searches: %s",
		ok, asked, took[len(took)/2], p99, searches[len(searches)*99/100], memory>>20, attackers())
	if asked < 20 || ok*100 < asked*99 || p99 > slowest || memory > fairMemory {
		t.Errorf("of %d ordinary requests %d are answered, 99%% in %s, in %d MiB", asked, ok, p99, memory>>20)
	}
}

// fairSite builds a release of fairItems items, with the fields of the costliest searches.
func fairSite(t *testing.T, generator string) (public string) {
	t.Helper()
	dir := t.TempDir()
	content, public := filepath.Join(dir, "content"), filepath.Join(dir, "public")
	if err := os.MkdirAll(filepath.Join(content, "site"), 0o755); err != nil {
		t.Fatal(err)
	}
	var items strings.Builder
	for i := range fairItems {
		fmt.Fprintf(&items, `{"ContentID":"Content_%d","Name":"name %[1]d","TemplateName":"Page","CreatedAt":"2024-01-01T00:00:00Z","Data":{"text":"words of item %[1]d, some of them long","list":[{"a":%[1]d,"b":"x"}],"m0":1,"m1":2,"m2":3,"m3":4,"m4":5,"m5":6,"m6":7,"m7":8}}`+"\n", i)
	}
	if err := os.WriteFile(filepath.Join(content, "site", "items.ndjson"), []byte(items.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	buildSite(t, generator, content, public)
	return public
}

// attackVariable names the server that a second process of this test attacks.
const attackVariable = "TEST_CONTENTEDGE_ATTACK"

// startAttack starts the attacking clients in a process of low priority: elsewhere they do not have
// the processors of the server and of the ordinary client. The result waits for them, and says
// how they fared.
func startAttack(t *testing.T, base string, length time.Duration) func() string {
	cmd := exec.Command("nice", "-n", "19", os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), attackVariable+"="+base, "TEST_CONTENTEDGE_COSTLY_CLIENTS="+length.String())
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return sync.OnceValue(func() string {
		if err := cmd.Wait(); err != nil {
			t.Errorf("the attack: %v: %s", err, &out)
		}
		_, line, _ := strings.Cut(out.String(), attackLine)
		line, _, _ = strings.Cut(line, "\n")
		return line
	})
}

const attackLine = "costly searches: "

// attack sends costly searches from many clients at a time.
func attack(t *testing.T, base string) {
	length, err := time.ParseDuration(os.Getenv("TEST_CONTENTEDGE_COSTLY_CLIENTS"))
	if err != nil {
		t.Fatal(err)
	}
	end := time.Now().Add(length)
	var clients sync.WaitGroup
	var answered [6]atomic.Int64 // by the class of their status
	for i := range fairClients {
		clients.Go(func() {
			client := &http.Client{Transport: &http.Transport{DisableCompression: true}} // responses are not decompressed
			defer client.CloseIdleConnections()
			bodies := costliest()
			for k := i; time.Now().Before(end); k++ {
				answered[attackOnce(t, client, base, bodies[k%len(bodies)])/100].Add(1)
			}
		})
	}
	clients.Wait()
	fmt.Printf(attackLine+"%d answered, %d refused, %d turned away\n", answered[2].Load(), answered[4].Load(), answered[5].Load()+answered[0].Load())
}

// attackOnce sends a search, reads any response, and returns its status, or 0.
func attackOnce(t *testing.T, client *http.Client, base, body string) (status int) {
	q, err := http.NewRequest("POST", base+"/cda/es/v1/site", strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return 0
	}
	q.Header.Set("Accept-Encoding", "gzip")
	r, err := client.Do(q)
	if err != nil {
		return 0
	}
	defer r.Body.Close()
	_, _ = io.Copy(io.Discard, r.Body)
	return r.StatusCode
}

// neighbour is a client at another address than the attackers: the server shares among addresses.
func neighbour(t *testing.T) *http.Client {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}
	transport := &http.Transport{DialContext: dialer.DialContext}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// ordinary requests an item's file, or one item by a new search.
func ordinary(t *testing.T, client *http.Client, base string, n int) bool {
	var r *http.Response
	var err error
	if id := n % fairItems; n%2 == 0 {
		r, err = client.Get(fmt.Sprintf("%s/cda/rest/v1/site/contents/Content_%d", base, id))
	} else {
		r, err = client.Post(base+"/cda/es/v1/site", "application/json", strings.NewReader(fmt.Sprintf(`{"query":{"match":{"Name":"%d"}}}`, id)))
	}
	if err != nil {
		t.Error(err)
		return false
	}
	defer r.Body.Close()
	_, _ = io.Copy(io.Discard, r.Body)
	return r.StatusCode == http.StatusOK
}
