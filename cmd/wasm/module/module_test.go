package module_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/release"
	"contentedge/generator"
)

// files is the directory of the module's files, which scripts/wasm makes.
func files(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("TEST_CONTENTEDGE_WASM")
	if dir == "" {
		t.Skip("TEST_CONTENTEDGE_WASM names no directory with the module: scripts/wasm test makes one")
	}
	return dir
}

// sample builds a release of the sample content.
func sample(t *testing.T) string {
	t.Helper()
	public := filepath.Join(t.TempDir(), "public")
	if _, err := generator.Build(t.Context(), generator.BuildConfig{Content: "../../../content", Out: public}); err != nil {
		t.Fatal(err)
	}
	return public
}

// The program in JavaScript tells parts of a manifest from snapshots by the directory that Go gives them.
func TestNameOfParts(t *testing.T) {
	program, err := os.ReadFile("contentedge.mjs")
	if err != nil {
		t.Fatal(err)
	}
	if want := "startsWith('" + release.PartsDir + "/')"; !strings.Contains(string(program), want) {
		t.Errorf("contentedge.mjs has no %s", want)
	}
}

type request struct {
	Method string            `json:"method"`
	Target string            `json:"target"`
	Fields map[string]string `json:"fields,omitempty"`
	Body   string            `json:"body,omitempty"`
}

type response struct {
	Status int               `json:"status"`
	Fields map[string]string `json:"fields"`
	Body   string            `json:"body"`
}

// TestModule: JavaScript opens a release in a directory and asks it for lists, items and searches.
func TestModule(t *testing.T) {
	dir, public := files(t), sample(t)
	const list = "/cda/rest/v1/site/contents"
	cases := []struct {
		name string
		request
		status int
		begins string
	}{
		{"document", request{Method: "GET", Target: "/"}, 200, `{"status":200,"data":{"release":"`},
		{"probe", request{Method: "GET", Target: "/readyz"}, 200, `{"status":200,"data":"ready"}`},
		{"list", request{Method: "GET", Target: list + "?pageSize=1"}, 200, `{"status":200,"data":[{`},
		{"head", request{Method: "HEAD", Target: list}, 200, ``},
		{"no environment", request{Method: "GET", Target: "/cda/rest/v1/none/contents"}, 404, `{"status":404,"error":{"code":"unknown_environment"`},
		{"method", request{Method: "DELETE", Target: list}, 405, `{"status":405`},
		{"preflight", request{Method: "OPTIONS", Target: list}, 204, ``},
		{"search", request{Method: "POST", Target: "/cda/es/v1/site", Body: `{"size":1}`}, 200, `{"status":200,"data":[{`},
		{"several searches", request{Method: "POST", Target: "/cda/es/v1/_msearch", Body: "{\"index\":\"site\"}\n{\"size\":0}\n"}, 200, `{"took":0,"responses":[{"took":0`},
		{"time zone", request{Method: "POST", Target: "/cda/es/v1/site/_search", Body: `{"size":0,"aggs":{"d":{"date_histogram":{"field":"CreatedAt","calendar_interval":"year","time_zone":"Europe/Athens"}}}}`}, 200, `{"took":0`},
		{"long body", request{Method: "POST", Target: "/cda/es/v1/site", Body: strings.Repeat(" ", 300<<10)}, 413, `{"status":413,"error":{"code":"body_too_large"`},
		{"long address", request{Method: "GET", Target: list + "?x=" + strings.Repeat("x", 20<<10)}, 431, `{"status":431,"error":{"code":"head_too_large"`},
	}
	var input bytes.Buffer
	for _, c := range cases {
		line, err := json.Marshal(c.request)
		if err != nil {
			t.Fatal(err)
		}
		input.Write(append(line, '\n'))
	}
	node := exec.CommandContext(t.Context(), "node", "testdata/first.mjs", dir, public)
	node.Stdin, node.Stderr = &input, os.Stderr
	out, err := node.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var got response
			if err := json.Unmarshal(lines[i], &got); err != nil {
				t.Fatal(err)
			}
			if got.Status != c.status || !strings.HasPrefix(got.Body, c.begins) || c.begins == "" && got.Body != "" {
				t.Errorf("status %d, body %.200s", got.Status, got.Body)
			}
			if got.Fields["x-release"] == "" {
				t.Errorf("fields %v", got.Fields)
			}
		})
	}
}

// TestModulePage runs the example of the page.
func TestModulePage(t *testing.T) {
	dir, public := files(t), sample(t)
	page, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```js\n")
	example, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("the page has no example")
	}
	work := t.TempDir()
	script := strings.ReplaceAll(example, "./DIR/", dir+"/")
	if err := errors.Join(os.Symlink(public, filepath.Join(work, "public")), os.WriteFile(filepath.Join(work, "example.mjs"), []byte(script), 0o644)); err != nil {
		t.Fatal(err)
	}
	node := exec.CommandContext(t.Context(), "node", "example.mjs")
	node.Dir, node.Stderr = work, os.Stderr
	out, err := node.Output()
	if err != nil || !bytes.HasPrefix(out, []byte("200 {")) {
		t.Errorf("%v: %s", err, out)
	}
}

// TestHostile: damaged and exchanged files, other modules, aborts, bodies without end and crashes end in a clear
// error, after which the next request is answered.
func TestHostile(t *testing.T) {
	dir, public := files(t), sample(t)
	node := exec.CommandContext(t.Context(), "node", "testdata/hostile.mjs", dir, public)
	if out, err := node.CombinedOutput(); err != nil || !bytes.HasSuffix(out, []byte("done\n")) {
		t.Errorf("%v:\n%s", err, out)
	}
}
