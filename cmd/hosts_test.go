// This file tests that web servers with generated configurations respond like the edge
// server.

package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"contentedge/edgeserve/listenaddr/freeport"
	"contentedge/edgeserve/wire/store/storetest"
)

// TestHosts puts web servers with generated configurations in front of an edge server,
// and compares their responses with the edge server's own.
func TestHosts(t *testing.T) {
	t.Parallel()
	bin := binaries(t, "generator", "edgeserve")
	public := filepath.Join(t.TempDir(), "public")
	if b, err := exec.Command(bin["generator"], "build", "--content", "../content", "--out", public, "--quiet", "--orders", "Name:asc", "--page-sizes", "2").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	edge := serve(t, bin["edgeserve"], public)
	requests := requestsOf(t, public)
	for name, args := range map[string]func(dir string) []string{
		"nginx": func(dir string) []string { return nginxArgs(t, dir) },
		"caddy": func(dir string) []string {
			return []string{"run", "--adapter", "caddyfile", "--config", writeFile(t, dir, "Caddyfile", "{\n\tadmin off\n\tauto_https off\n}\nimport contentedge.caddy\n")}
		},
	} {
		t.Run(name, func(t *testing.T) {
			program, err := exec.LookPath(name)
			if err != nil {
				t.Skipf("%s is not installed: its configuration is not tested here", name)
			}
			dir, addr := t.TempDir(), freeport.Addr(t)
			if b, err := exec.Command(bin["generator"], "hosts", name, "--public", public, "--edge", edge, "--listen", addr, "--out", dir).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, b)
			}
			run(t, program, args(dir)...)
			storetest.WaitFor(t, name+" to answer", func() bool {
				r, err := http.Get("http://" + addr + "/manifest.json")
				if err != nil {
					return false
				}
				r.Body.Close()
				return r.StatusCode == http.StatusOK
			})
			for _, r := range requests {
				want, got := r.send(t, edge), r.send(t, "http://"+addr)
				if got != want {
					t.Errorf("%s %s\n got %.300s\nwant %.300s", r.method, r.target, got, want)
				}
			}
			t.Logf("%d answers are the edge server's", len(requests))
		})
	}
}

// nginxArgs are nginx's arguments for a configuration directory.
func nginxArgs(t *testing.T, dir string) []string {
	t.Helper()
	main := fmt.Sprintf("daemon off; master_process off; pid %[1]s/pid; error_log stderr;\nevents {}\nhttp {\n access_log off; client_body_temp_path %[1]s/b; proxy_temp_path %[1]s/p; fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; scgi_temp_path %[1]s/s;\n include %[1]s/contentedge.conf;\n}\n", dir)
	return []string{"-p", dir, "-e", "stderr", "-c", writeFile(t, dir, "nginx.conf", main)}
}

// request is a request whose responses are compared.
type request struct{ method, target, body, release string }

// requestsOf returns requests for every list of a release, and some without a file.
func requestsOf(t *testing.T, public string) []request {
	t.Helper()
	var m struct {
		Build        string
		Environments []struct {
			ID    string
			Lists []struct {
				Sort     string
				SortAsc  bool
				PageSize int
				Values   []struct{ Filters map[string]string }
			}
		}
	}
	b, err := os.ReadFile(filepath.Join(public, "manifest.json"))
	if err == nil {
		err = json.Unmarshal(b, &m)
	}
	if err != nil {
		t.Fatal(err)
	}
	params := map[string]string{"name": "searchByName", "template": "searchByTemplateName", "status": "status", "createdby": "searchByCreatedBy"}
	var out []request
	for _, e := range m.Environments {
		base := "/cda/rest/v1/" + e.ID + "/contents"
		for _, l := range e.Lists {
			for _, v := range l.Values {
				q := url.Values{"sort": {l.Sort}, "sortAsc": {fmt.Sprint(l.SortAsc)}, "pageSize": {fmt.Sprint(l.PageSize)}}
				for filter, value := range v.Filters {
					q.Set(params[filter], value)
				}
				for page := 1; page <= 3; page++ {
					q.Set("page", fmt.Sprint(page))
					out = append(out, request{"GET", base + "?" + q.Encode(), "", ""})
				}
			}
		}
		for _, rest := range []string{"", "?", "?page=0", "?sort=Data.title", "?searchByName=nobody", "?page=1&page=2", "?pageSize=3", "/unknown", "/", "-list/sort-name-asc-2/page-1.json", "-list/sort-name-asc-7/page-1.json"} {
			out = append(out, request{"GET", base + rest, "", ""})
		}
		out = append(out, request{"POST", "/cda/es/v1/" + e.ID, `{"size":3}`, ""}, request{"POST", base, "", ""}, request{"OPTIONS", base, "", ""})
		for _, build := range []string{m.Build, "0011223344556677"} {
			out = append(out, request{"GET", base, "", build}, request{"GET", base + "?page=2&pageSize=2", "", build}, request{"GET", base + "/unknown", "", build})
		}
	}
	return append(out, request{"GET", "/", "", ""}, request{"GET", "/.lock", "", ""}, request{"GET", "/current/manifest.json", "", ""}, request{"GET", "/cda/", "", ""})
}

// send returns the status, the body and the common header fields.
func (r request) send(t *testing.T, base string) string {
	t.Helper()
	req, err := http.NewRequest(r.method, base+r.target, strings.NewReader(r.body))
	if err != nil {
		t.Fatal(err)
	}
	if r.release != "" {
		req.Header.Set("X-Release", r.release)
	}
	a, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	b, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("%d %s", a.StatusCode, b)
	for _, h := range []string{"Content-Type", "Cache-Control", "Vary", "X-Content-Type-Options", "Access-Control-Allow-Origin", "Access-Control-Expose-Headers", "Allow"} {
		text += fmt.Sprintf("\n%s: %q", h, a.Header[h])
	}
	if r.release != "" { // a file does not name its release
		text += "\nX-Release: " + a.Header.Get("X-Release")
	}
	return text
}

// run runs a program until the test ends.
func run(t *testing.T, program string, args ...string) {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_DATA_HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir())
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("%s:\n%.4000s", program, log.String())
		}
	})
}

func writeFile(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}
