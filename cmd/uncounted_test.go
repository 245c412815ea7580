// This file tests that a server answers while it searches items with thousands of paths and values of
// a megabyte.
package cmd

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"contentedge/edgeserve/engine/searchtest"
	"contentedge/edgeserve/engine/snapshot/snaptest"
)

// livezSlowest is generous, because searches, client and other tests share the processors. A search
// that does not look at its limits for seconds is found all the same.
const livezSlowest = 2 * time.Second

// livezClients send one search after the other: few enough that none has to be shed.
const livezClients = 2

func TestLivezBesideSearches(t *testing.T) {
	bin := binaries(t, "generator", "edgeserve")
	dir := t.TempDir()
	content, public := filepath.Join(dir, "content"), filepath.Join(dir, "public")
	for env, items := range map[string][]string{searchtest.Wide: snaptest.WideItems(), searchtest.Long: snaptest.LongItems()} {
		if err := os.MkdirAll(filepath.Join(content, env), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(content, env, "items.ndjson"), []byte(strings.Join(items, "\n")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	buildSite(t, bin["generator"], content, public)
	for _, mode := range []string{"auto", "off"} {
		t.Run("fast path "+mode, func(t *testing.T) {
			edge := startEdge(t, bin["edgeserve"], public, "--fast-path", mode, "--memory-limit", strconv.Itoa(fairMemory), "--cache-bytes", "0")
			base := "http://" + edge.addr
			type search struct{ env, body string }
			waiting := make(chan search, 100)
			for env, bodies := range searchtest.LargeBodies() {
				for _, body := range bodies {
					waiting <- search{env, body}
				}
			}
			close(waiting)
			var clients sync.WaitGroup
			var left atomic.Int64
			for range livezClients {
				left.Add(1)
				clients.Go(func() {
					defer left.Add(-1)
					for s := range waiting {
						begun := time.Now()
						status, err := send(base+"/cda/es/v1/"+s.env+"/_search", s.body)
						t.Logf("%d after %s: %s, %.100s", status, time.Since(begun), s.env, s.body)
						if err != nil || status != 200 && status != 400 && status != 429 && status != 503 {
							t.Errorf("%s: %d, %v: %.200s", s.env, status, err, s.body)
						}
					}
				})
			}
			slowest, asked, memory := time.Duration(0), 0, 0
			for client := neighbour(t); left.Load() > 0; asked++ {
				begun := time.Now()
				r, err := client.Get(base + "/livez")
				if err != nil {
					t.Fatal(err)
				}
				_ = r.Body.Close()
				slowest, memory = max(slowest, time.Since(begun)), max(memory, edge.anonymous(t))
				client.CloseIdleConnections() // a new connection each time
			}
			clients.Wait()
			t.Logf("%d probes, the slowest %s; %d MiB of memory", asked, slowest, memory>>20)
			if slowest > livezSlowest || memory > fairMemory {
				t.Errorf("a probe took %s; %d MiB of memory", slowest, memory>>20)
			}
		})
	}
}

func send(url, body string) (status int, err error) {
	r, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	defer r.Body.Close()
	_, err = io.Copy(io.Discard, r.Body)
	return r.StatusCode, err
}
