package cmd

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"contentedge/edgeserve/listenaddr/freeport"
)

// TestFewDescriptors gives the edge server few descriptors, and opens more silent connections than that. The admin
// listener and a new client get a response within a second.
func TestFewDescriptors(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip(err)
	}
	bin := binaries(t, "generator", "edgeserve")
	public := filepath.Join(t.TempDir(), "public")
	buildSite(t, bin["generator"], "../content", public)
	for _, limit := range []int{256, 1024} {
		for _, fast := range []string{"auto", "off"} {
			t.Run(fmt.Sprint(limit, " ", fast), func(t *testing.T) {
				admin := freeport.Addr(t)
				e := edge{addr: freeport.Addr(t), exit: make(chan error, 1)}
				e = e.start(t, exec.Command("sh", "-c", fmt.Sprintf(`ulimit -n %d && exec "$0" "$@"`, limit),
					bin["edgeserve"], "--public", public, "--addr", e.addr, "--admin", admin, "--fast-path", fast))
				for range limit + 44 {
					conn, err := net.Dial("tcp", e.addr)
					if err != nil {
						t.Fatal(err)
					}
					t.Cleanup(func() { _ = conn.Close() })
				}
				soon := http.Client{Timeout: time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
				metrics := ""
				for _, url := range []string{"http://" + e.addr + "/livez", "http://" + admin + "/livez", "http://" + admin + "/readyz", "http://" + admin + "/metrics"} {
					begin := time.Now()
					resp, err := soon.Get(url)
					if err != nil {
						t.Fatal(err)
					}
					text, _ := io.ReadAll(resp.Body)
					metrics = string(text)
					_ = resp.Body.Close()
					if resp.StatusCode != http.StatusOK {
						t.Errorf("%s: %s after %s", url, resp.Status, time.Since(begin))
					}
				}
				for _, sample := range []string{"\ncontentedge_http_connections_refused_total 0\n", "\nprocess_open_fds ", fmt.Sprintf("\nprocess_max_fds %d\n", limit)} {
					if !strings.Contains(metrics, sample) {
						t.Errorf("the metrics lack %q:\n%s", sample, regexp.MustCompile(`(?m)^contentedge_http_(conn|idle).*`).FindAllString(metrics, -1))
					}
				}
				if strings.Contains(metrics, "\ncontentedge_http_idle_connections_closed_total 0\n") {
					t.Error("no idle connection was closed")
				}
			})
		}
	}
}
