// This file tests that clients with expensive searches do not starve others.
package cmd

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	fairItems    = 3000
	fairAttacked = 3 * time.Second
	fairClients  = 64
	// fairSlowest is generous, because the attacking clients share the processors.
	fairSlowest = time.Second
)

// costliest are bodies near the work limit of a request.
func costliest() []string {
	repeat := func(n int, format string) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = fmt.Sprintf(format, i)
		}
		return strings.Join(parts, ",")
	}
	return []string{
		`{"size":10000,"_source":[` + repeat(100, `"*%d*e*t*x"`) + `]}`,
		`{"size":10000,"_source":{"excludes":[` + repeat(100, `"*a*o*%d"`) + `]}}`,
		`{"size":10000,"sort":[` + repeat(8, `"TemplateName","Status","CreatedBy","Data.m%d"`) + `]}`,
		`{"size":0,"query":{"bool":{"should":[` + repeat(200, `{"wildcard":{"Data.text":"*%d*o*"}}`) + `]}}}`,
		`{"size":0,"query":{"query_string":{"query":"*o* OR *e* OR /.*[ab]{3}.*/"}}}`,
		`{"size":0,"aggs":{` + repeat(99, `"a%d":{"terms":{"field":"ContentID","size":10000}}`) + `}}`,
	}
}

func TestCostlySearchesLeaveOthersAnswered(t *testing.T) {
	bin := binaries(t, "generator", "edgeserve")
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
	buildSite(t, bin["generator"], content, public)
	base := serve(t, bin["edgeserve"], public)
	end := time.Now().Add(fairAttacked)
	var attack sync.WaitGroup
	defer attack.Wait()
	for i := range fairClients {
		attack.Go(func() {
			client := &http.Client{Transport: &http.Transport{DisableCompression: true}} // responses are not decompressed
			defer client.CloseIdleConnections()
			bodies := costliest()
			for k := i; time.Now().Before(end); k++ {
				attackOnce(t, client, base, bodies[k%len(bodies)])
			}
		})
	}
	var took []time.Duration
	asked, ok := 0, 0
	for ; time.Now().Before(end); asked++ {
		begun := time.Now()
		if ordinary(t, base, asked) {
			ok++
		}
		took = append(took, time.Since(begun))
	}
	slices.Sort(took)
	p99 := took[len(took)*99/100]
	t.Logf("%d of %d answered, half of them in %s, 99%% in %s", ok, asked, took[len(took)/2], p99)
	if asked < 20 || ok*100 < asked*99 || p99 > fairSlowest {
		t.Errorf("of %d ordinary requests %d are answered, 99%% in %s", asked, ok, p99)
	}
}

// attackOnce sends a search and reads any response.
func attackOnce(t *testing.T, client *http.Client, base, body string) {
	q, err := http.NewRequest("POST", base+"/cda/es/v1/site", strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return
	}
	q.Header.Set("Accept-Encoding", "gzip")
	if r, err := client.Do(q); err == nil {
		_, _ = io.Copy(io.Discard, r.Body)
		r.Body.Close()
	}
}

// ordinary requests an item's file, or one item by a new search.
func ordinary(t *testing.T, base string, n int) bool {
	var r *http.Response
	var err error
	if n%2 == 0 {
		r, err = http.Get(fmt.Sprintf("%s/cda/rest/v1/site/contents/Content_%d", base, n))
	} else {
		r, err = http.Post(base+"/cda/es/v1/site", "application/json", strings.NewReader(fmt.Sprintf(`{"query":{"match":{"Name":"%d"}}}`, n)))
	}
	if err != nil {
		t.Error(err)
		return false
	}
	defer r.Body.Close()
	_, _ = io.Copy(io.Discard, r.Body)
	return r.StatusCode == http.StatusOK
}
