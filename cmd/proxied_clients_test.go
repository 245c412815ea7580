// This file tests what clients behind web servers are to an edge server.

package cmd

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"contentedge/edgeserve/listenaddr/freeport"
	"contentedge/edgeserve/wire/store/storetest"
)

// proxied starts an edge server and a web server with its generated configuration before it. It returns
// the web server's address and the file of the edge server's access log.
func proxied(t *testing.T, host, public string, flags ...string) (addr, accessLog string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has all of 127.0.0.0/8 on its loopback interface")
	}
	program, err := exec.LookPath(host)
	if err != nil {
		t.Skipf("%s is not installed: clients behind it are not tested here", host)
	}
	bin := binaries(t, "generator", "edgeserve")
	dir, addr, edge := t.TempDir(), freeport.Addr(t), freeport.Addr(t)
	accessLog = filepath.Join(dir, "access.log")
	out, err := os.Create(accessLog)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	server := exec.Command(bin["edgeserve"], append(flags, "--public", public, "--addr", edge, "--access-log")...)
	server.Stdout = out
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Process.Kill(); _ = server.Wait() })
	if b, err := exec.Command(bin["generator"], "hosts", host, "--public", public, "--edge", "http://"+edge, "--listen", addr, "--out", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	if host == "nginx" {
		run(t, program, nginxArgs(t, dir)...)
	} else {
		run(t, program, "run", "--adapter", "caddyfile", "--config", writeFile(t, dir, "Caddyfile", "{\n\tadmin off\n\tauto_https off\n}\nimport contentedge.caddy\n"))
	}
	storetest.WaitFor(t, host+" to pass a search on", func() bool {
		status, _ := searchAs(t, clientAt(t, "127.0.0.1"), addr, "{}")
		return status == http.StatusOK
	})
	return addr, accessLog
}

// clientAt is a client with an address of its own.
func clientAt(t *testing.T, addr string) *http.Client {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(addr)}}
	transport := &http.Transport{DialContext: dialer.DialContext, MaxIdleConnsPerHost: hostileConns, DisableCompression: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: time.Minute}
}

// searchAs sends a search that claims to come from elsewhere, and returns the status, 0 without one.
func searchAs(t *testing.T, client *http.Client, addr, body string) (status int, took time.Duration) {
	begun := time.Now()
	q, err := http.NewRequest("POST", "http://"+addr+"/cda/es/v1/site", strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return 0, 0
	}
	q.Header.Set("X-Forwarded-For", "198.51.100.1")
	q.Header.Set("X-Request-Id", "ours")
	r, err := client.Do(q)
	if err != nil {
		return 0, time.Since(begun)
	}
	defer r.Body.Close()
	_, _ = io.Copy(io.Discard, r.Body)
	return r.StatusCode, time.Since(begun)
}

// The edge server knows the clients of the web servers that generator hosts configures, whatever they claim.
func TestProxiesNameTheirClients(t *testing.T) {
	t.Parallel()
	public := fairSite(t, binaries(t, "generator")["generator"])
	for _, host := range []string{"nginx", "caddy"} {
		t.Run(host, func(t *testing.T) {
			addr, accessLog := proxied(t, host, public, "--trusted-proxies", "127.0.0.1")
			const client = "127.1.0.7"
			if status, _ := searchAs(t, clientAt(t, client), addr, "{}"); status != http.StatusOK {
				t.Fatalf("status %d", status)
			}
			storetest.WaitFor(t, "the line of "+client, func() bool {
				b, err := os.ReadFile(accessLog)
				if err != nil {
					t.Fatal(err)
				}
				for text := range strings.Lines(string(b)) {
					var line struct{ ID, Client, Peer string }
					if json.Unmarshal([]byte(text), &line) != nil || line.Client != client {
						continue
					}
					if peer, err := netip.ParseAddrPort(line.Peer); err != nil || peer.Addr().String() != "127.0.0.1" || line.ID != "ours" {
						t.Errorf("%s", text)
					}
					return true
				}
				return false
			})
		})
	}
}

// otherSearch is of the other clients. It needs a slot, as those of the hostile client do.
const otherSearch = `{"size":100,"query":{"match":{"Data.text":"words of item %d some long"}},"highlight":{"fields":{"Data.text":{}}},"sort":["Data.m1","_score"],` +
	`"aggs":{"a":{"terms":{"field":"ContentID.keyword","size":500}},"b":{"terms":{"field":"Name.keyword","size":500},"aggs":{"c":{"stats":{"field":"Data.m1"}}}}}}`

const (
	nginxClients  = 50          // one of them is hostile
	hostileConns  = 32          // on which that one sends costly searches without pause
	nginxPause    = time.Second // between two searches of another client
	nginxVariable = "TEST_CONTENTEDGE_NGINX_CLIENTS"
)

// Behind nginx, one hostile client does not take their searches from the others.
func TestHostileClientBehindNginx(t *testing.T) {
	text := os.Getenv(nginxVariable)
	if text == "" {
		t.Skip("scripts/soak proxied 12s runs it")
	}
	length, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	public := fairSite(t, binaries(t, "generator")["generator"])
	for _, c := range []struct {
		name  string
		flags []string
		fair  bool
	}{
		{"all clients are the proxy", nil, false},
		{"turns by client", []string{"--trusted-proxies", "127.0.0.1"}, true},
		{"turns and rate limits by client", []string{"--trusted-proxies", "127.0.0.1", "--search-rate", "100ms/s"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			addr, _ := proxied(t, "nginx", public, append(c.flags, "--cache-bytes", "0")...)
			took, statuses, hostile := besiege(t, addr, length)
			slices.Sort(took)
			kept, sent := statuses[http.StatusOK], len(took)
			t.Logf("%d of %d searches of %d clients are answered (%.2f %%), half of them in %s, 99%% in %s; statuses %v; those of the hostile client %v",
				kept, sent, nginxClients-1, 100*float64(kept)/float64(sent), took[len(took)/2], took[len(took)*99/100], statuses, hostile)
			if c.fair && (sent < nginxClients || kept*100 < sent*99) {
				t.Errorf("%d of %d searches are answered", kept, sent)
			}
		})
	}
}

// besiege lets one client send costly searches and all others ordinary ones. It counts their statuses.
func besiege(t *testing.T, addr string, length time.Duration) (took []time.Duration, statuses, hostile map[int]int) {
	end := time.Now().Add(length)
	statuses, hostile = map[int]int{}, map[int]int{}
	var mu sync.Mutex
	var clients sync.WaitGroup
	attacker, bodies := clientAt(t, "127.1.0.1"), costliest()
	for i := range hostileConns {
		clients.Go(func() {
			for k := i; time.Now().Before(end); k++ {
				status, _ := searchAs(t, attacker, addr, bodies[k%len(bodies)])
				mu.Lock()
				hostile[status]++
				mu.Unlock()
			}
		})
	}
	for i := 2; i <= nginxClients; i++ {
		clients.Go(func() {
			client := clientAt(t, fmt.Sprintf("127.1.0.%d", i))
			time.Sleep(nginxPause / nginxClients * time.Duration(i)) // clients do not begin all at once
			pace := time.NewTicker(nginxPause)
			defer pace.Stop()
			for k := i; time.Now().Before(end); k += nginxClients {
				status, d := searchAs(t, client, addr, fmt.Sprintf(otherSearch, k%fairItems))
				mu.Lock()
				statuses[status]++
				took = append(took, d)
				mu.Unlock()
				<-pace.C
			}
		})
	}
	clients.Wait()
	return took, statuses, hostile
}
