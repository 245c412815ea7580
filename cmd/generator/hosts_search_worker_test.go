package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator"
	"contentedge/generator/hosts/searchfiles"
)

// searchWorker is a worker in workerd.
type searchWorker struct {
	*testing.T
	base  string
	in    io.WriteCloser
	lines *bufio.Scanner
}

// startWorker deploys a release with its search in workerd: snapshots from the assets, or from a bucket.
func startWorker(t *testing.T, public, out, bucket string) *searchWorker {
	t.Helper()
	modules := os.Getenv("TEST_CONTENTEDGE_NPM")
	if modules == "" {
		t.Skip("TEST_CONTENTEDGE_NPM names no directory with miniflare installed: not run in workerd")
	}
	assets := filepath.Join(t.TempDir(), "assets")
	current := filepath.Join(public, release.CurrentLink)
	copyTree(t, filepath.Join(current, release.BodiesDir), filepath.Join(assets, release.BodiesDir))
	args := []string{"testdata/search-workerd.cjs", assets, out, modules}
	if bucket == "" {
		copyTree(t, filepath.Join(out, assetsDir), assets)
	} else {
		args = append(args, bucket)
	}
	cmd := exec.CommandContext(t.Context(), "node", args...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	read, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w := &searchWorker{T: t, in: in, lines: bufio.NewScanner(read)}
	t.Cleanup(func() {
		_ = in.Close() // it ends with its input
		_, _ = io.Copy(io.Discard, read)
		_ = cmd.Wait()
	})
	w.base = strings.TrimSuffix(w.line(), "/")
	return w
}

func copyTree(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

func (w *searchWorker) line() string {
	w.Helper()
	if !w.lines.Scan() {
		w.Fatal("workerd does not run")
	}
	return w.lines.Text()
}

// ask sends a request. A body makes it a POST.
func (w *searchWorker) ask(target, body string, fields ...string) (status int, fieldsOf http.Header, text string) {
	w.Helper()
	method := http.MethodGet
	if body != "" {
		method = http.MethodPost
	}
	r, err := http.NewRequestWithContext(w.Context(), method, w.base+target, strings.NewReader(body))
	if err != nil {
		w.Fatal(err)
	}
	for i := 0; i < len(fields); i += 2 {
		r.Header.Set(fields[i], fields[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		w.Error(err)
		return 0, nil, ""
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		w.Error(err)
	}
	return resp.StatusCode, resp.Header, string(b)
}

// reads counts what the worker read, by name.
func (w *searchWorker) reads() (counts map[string]int) {
	w.Helper()
	_, _, text := w.ask("/-/reads", "")
	if err := json.Unmarshal([]byte(text), &counts); err != nil {
		w.Fatal(err)
	}
	return counts
}

// The title of one article of the sample, and of two of the edited content.
const breadBody = `{"query":{"match_phrase":{"Data.title":"Bread for People with Jobs"}},"size":1}`

func TestWorkerSearchInWorkerd(t *testing.T) {
	files := moduleFiles(t)
	public, out := filepath.Join(t.TempDir(), "public"), filepath.Join(t.TempDir(), "out")
	if _, err := generator.Build(t.Context(), generator.BuildConfig{Content: "../../content", Out: public, NoSync: true, Lists: generator.DefaultLists + ",Data.title"}); err != nil {
		t.Fatal(err)
	}
	t.Log(publishSample(t, "cloudflare-worker", public, out, files))
	m, err := readManifest(public)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("assets", func(t *testing.T) {
		w := startWorker(t, public, out, "")
		t.Run("list by a path", func(t *testing.T) {
			status, fields, text := w.ask("/cda/rest/v1/site/contents?Data.title=Bread+for+People+with+Jobs", "")
			link, file := fields.Get(httpfield.Link), fields.Get(httpfield.Release) == ""
			if status != http.StatusOK || !file || link != `<?Data.title=Bread+for+People+with+Jobs>; rel="self"` || !strings.Contains(text, `"totalItems":1}`) {
				t.Errorf("%d, a file: %t, %s, %.300s", status, file, link, text)
			}
		})
		t.Run("first requests at once", func(t *testing.T) { firstRequests(t, w, m.Build) })
		t.Run("answers", func(t *testing.T) { workerAnswers(t, w, m.Build) })
	})
	t.Run("bucket", func(t *testing.T) { workerFollows(t, public, out, m.Build) })
	t.Run("no files", func(t *testing.T) {
		w := startWorker(t, public, out, t.TempDir())
		status, fields, text := w.ask("/cda/es/v1/site", breadBody)
		if status != http.StatusServiceUnavailable || !strings.Contains(text, `"edge_unreachable"`) || fields.Get(httpfield.RetryAfter) == "" {
			t.Errorf("%d %s", status, text)
		}
		if status, _, text = w.ask("/cda/rest/v1/site/contents", ""); status != http.StatusOK {
			t.Errorf("a file: %d %s", status, text)
		}
	})
}

// firstRequests: requests that come before the release is loaded share one load.
func firstRequests(t *testing.T, w *searchWorker, build string) {
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			status, fields, text := w.ask("/cda/es/v1/site", breadBody)
			if status != http.StatusOK || fields.Get(httpfield.Release) != build || !strings.Contains(text, `"totalItems":1`) {
				t.Errorf("%d %s %.300s", status, fields.Get(httpfield.Release), text)
			}
		})
	}
	all.Wait()
	parts := 0
	for name, n := range w.reads() {
		if strings.HasPrefix(name, searchfiles.Dir+"/") {
			if parts++; n != 1 {
				t.Errorf("%s was read %d times", name, n)
			}
		}
	}
	if parts != 3 { // the pointer, the manifest, the snapshot of one environment
		t.Errorf("%d files were read", parts)
	}
}

func workerAnswers(t *testing.T, w *searchWorker, build string) {
	for _, c := range []struct {
		name, target, body string
		fields             []string
		status             int
		has                string
		computed           bool // by the module
	}{
		{"file of a list", "/cda/rest/v1/site/contents", "", nil, 200, `"totalItems":53`, false},
		{"list without a file", "/cda/rest/v1/site/contents?pageSize=7&sort=Name", "", nil, 200, `"totalItems":53`, true},
		{"pinned to the release", "/cda/rest/v1/site/contents", "", []string{httpfield.Release, build}, 200, `"totalItems":53`, true},
		{"pinned to another release", "/cda/rest/v1/site/contents", "", []string{httpfield.Release, "0123456789abcdef"}, 412, `"release_mismatch"`, true},
		{"endpoint", "/cda/es/v1/site/_search?q=bread&size=0", "", nil, 200, `"timed_out":false`, true},
		{"second environment", "/cda/es/v1/events", `{}`, nil, 200, `"totalItems":4`, true},
		{"unknown environment", "/cda/es/v1/none", `{}`, nil, 404, `"unknown_environment"`, true},
		{"unknown item", "/cda/rest/v1/site/contents/none", "", nil, 404, `"unknown_item"`, true},
		{"bad body", "/cda/es/v1/site", `{"query":{"nonsense":{}}}`, nil, 400, `"unknown_query"`, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, fields, text := w.ask(c.target, c.body, c.fields...)
			if status != c.status || !strings.Contains(text, c.has) || (fields.Get(httpfield.Release) == build) != c.computed {
				t.Errorf("%d %s %.300s", status, fields.Get(httpfield.Release), text)
			}
		})
	}
}

// workerFollows: a worker notices a new release in its bucket, and every answer is of one release.
func workerFollows(t *testing.T, public, out, build string) {
	bucket := t.TempDir()
	copyTree(t, filepath.Join(out, assetsDir), bucket)
	w := startWorker(t, public, out, bucket)
	search := func() string {
		status, fields, text := w.ask("/cda/es/v1/site", `{"query":{"match_phrase":{"Data.title":"Bread for People with Jobs"}},"size":0}`)
		return fmt.Sprintf("%d %s %s", status, fields.Get(httpfield.Release), text)
	}
	const answer = `200 %s {"status":200,"data":[],"totalItems":%d}`
	old := fmt.Sprintf(answer, build, 1)
	if got := search(); got != old {
		t.Errorf("%s, want %s", got, old)
	}
	next := filepath.Join(t.TempDir(), "public")
	buildSample(t, editedContent(t), next)
	publishSample(t, "cloudflare-worker", next, out, moduleFiles(t))
	m, err := readManifest(next)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(bucket, searchfiles.Dir)); err != nil {
		t.Fatal(err)
	}
	copyTree(t, filepath.Join(out, assetsDir), bucket)
	if _, err := fmt.Fprintln(w.in, "upload"); err != nil {
		t.Fatal(err)
	}
	w.line()
	edited := fmt.Sprintf(answer, m.Build, 2)
	got := search()
	for end := time.Now().Add(time.Minute); got == old && time.Now().Before(end); {
		got = search()
	}
	if got != edited {
		t.Errorf("%s, want %s", got, edited)
	}
}
