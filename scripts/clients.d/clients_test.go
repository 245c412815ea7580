// Package clients lets unmodified clients of Elasticsearch and OpenSearch, and front ends, ask a
// real edge server. They stand in a module of their own, so that nobody downloads them who does
// not run these tests.
package clients

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// want is what each client prints.
const want = `info 7.10.2 true
search 2 Content_02,Content_01 hours true Page:2
typed 3 Content_03,Content_02 Page:2:1709251200000 1709251200000:3 3
uri 1 Content_03 1709424000000
count 3
get welcome
missing 404 false
exists true false
exists source true false
source welcome
mget true,false
msearch 2 404
node msearch 2
index true false
described site
mapping keyword
caps Name,Name.keyword
validate false
analyze hello,world
bad 400 parsing_exception
no index 404 index_not_found_exception
no index to describe 404 index_not_found_exception
scroll 400 illegal_argument_exception
next 404 resource_not_found_exception
point in time 404 resource_not_found_exception
template 404 resource_not_found_exception
cat 404 resource_not_found_exception
health 404 resource_not_found_exception
write 405 method_not_allowed_exception
bulk 404 resource_not_found_exception
`

const (
	hours = `{"match":{"Data.content":"hours"}}`
	// typed is a search of several queries and aggregations.
	typed = `{"query":{"bool":{"must":[{"multi_match":{"query":"library","fields":["Data.title","Data.content"]}}],
		"filter":[{"range":{"CreatedAt":{"gte":"2024-03-01","lt":"2024-04-01"}}}],"must_not":[{"term":{"Name.keyword":{"value":"none"}}}]}},
		"sort":[{"CreatedAt":{"order":"desc"}}],"from":0,"size":2,"_source":{"includes":["Name"]},
		"aggs":{"templates":{"terms":{"field":"TemplateName.keyword"},"aggs":{"first":{"min":{"field":"CreatedAt"}}}},
			"months":{"date_histogram":{"field":"CreatedAt","calendar_interval":"month"}},"names":{"cardinality":{"field":"Name.keyword"}}}}`
)

// listening finds the address in the log of a server.
var listening = regexp.MustCompile(`"msg":"listening","address":"([^"]+)"`)

// node is the URL that clients are configured with.
func node(t *testing.T, fastPath string) string {
	t.Helper()
	dir := t.TempDir()
	run := func(name string, args ...string) {
		cmd := exec.Command(name, args...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", cmd, err, out)
		}
	}
	run("go", "build", "-C", "../..", "-o", dir+"/", "./cmd/generator", "./cmd/edgeserve")
	public := filepath.Join(dir, "public")
	run(filepath.Join(dir, "generator"), "build", "--content", "testdata/content", "--out", public)
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close() // the server has its own descriptor
	args := []string{"--public", public, "--addr", "127.0.0.1:0", "--fast-path", fastPath}
	if cluster := os.Getenv("CLUSTER_URLS"); cluster != "" { // scripts/cluster sets it: the clients search the cluster
		run(filepath.Join(dir, "generator"), "load", "--to", cluster, "--from", public)
		args = append(args, "--search-at", cluster)
	}
	edge := exec.Command(filepath.Join(dir, "edgeserve"), args...)
	edge.Stdout, edge.Stderr = log, log
	if err := edge.Start(); err != nil {
		t.Fatal(err)
	}
	lines := func() []byte {
		text, err := os.ReadFile(log.Name())
		if err != nil {
			t.Error(err)
		}
		return text
	}
	t.Cleanup(func() {
		_ = edge.Process.Signal(os.Interrupt)
		if err := edge.Wait(); err != nil {
			t.Errorf("edgeserve: %v\n%s", err, lines())
		}
	})
	ready := &http.Client{Timeout: time.Second}
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		err := errors.New("no address is logged")
		if m := listening.FindSubmatch(lines()); m != nil {
			var answer *http.Response
			if answer, err = ready.Get("http://" + string(m[1]) + "/readyz"); err == nil {
				_ = answer.Body.Close()
				if answer.StatusCode == http.StatusOK {
					return "http://" + string(m[1]) + "/cda/es/v1"
				}
				err = errors.New(answer.Status)
			}
		}
		if time.Now().After(end) {
			t.Fatalf("edgeserve is not ready: %v\n%s", err, lines())
		}
	}
}

func TestClients(t *testing.T) {
	for _, fastPath := range []string{"auto", "off"} {
		url := node(t, fastPath)
		for _, c := range []struct {
			name string
			ask  func(t *testing.T, url string) string
		}{
			{"go-elasticsearch", goElasticsearch}, {"olivere", olivere}, {"opensearch-go", openSearchGo},
			{"javascript", javascript("@elastic/elasticsearch")}, {"javascript 8", javascript("elasticsearch-8")}, {"javascript 9", javascript("elasticsearch-9")}, {"javascript OpenSearch", javascript("@opensearch-project/opensearch")},
			{"python", python("elasticsearch")}, {"python OpenSearch", python("opensearchpy")},
		} {
			t.Run(fastPath+"/"+c.name, func(t *testing.T) {
				for range 3 { // computed, then from the cache
					if got := c.ask(t, url); got != want {
						t.Fatalf("it printed\n%s\nwant\n%s", got, want)
					}
				}
			})
		}
	}
}

// javascript asks with a package of npm.
func javascript(name string) func(t *testing.T, url string) string {
	return func(t *testing.T, url string) string {
		cmd := exec.Command("node", "testdata/client.mjs", url, name)
		cmd.Env = append(os.Environ(), "NODE_PATH="+filepath.Join(nodePackages(t), "node_modules"))
		return output(t, cmd)
	}
}

// python asks with a package of PyPI.
func python(name string) func(t *testing.T, url string) string {
	return func(t *testing.T, url string) string {
		cmd := exec.Command("python3", "testdata/client.py", url, name)
		cmd.Env = append(os.Environ(), "PYTHONPATH="+pythonPackages(t))
		return output(t, cmd)
	}
}

// nodePackages is a directory with the packages of node/package-lock.json.
func nodePackages(t *testing.T) string {
	t.Helper()
	return installed(t, "TEST_CONTENTEDGE_NODE_CLIENTS", func(dir string) []string {
		if err := os.CopyFS(dir, os.DirFS("node")); err != nil {
			t.Fatal(err)
		}
		return []string{"npm", "ci", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", dir}
	})
}

// pythonPackages is a directory with packages of PyPI.
func pythonPackages(t *testing.T) string {
	t.Helper()
	return installed(t, "TEST_CONTENTEDGE_PYTHON_CLIENTS", func(dir string) []string {
		return []string{"python3", "-m", "pip", "install", "--quiet", "elasticsearch>=7,<8", "opensearch-py>=2,<3", "--target", dir}
	})
}

// folder is where packages are installed, for all tests.
type folder struct{ dir, failed string }

var folders = map[string]folder{}

// installed is the directory that a variable of the process's environment names, else one in
// which a command installs packages, once. It skips the test where that fails.
func installed(t *testing.T, variable string, command func(dir string) []string) string {
	t.Helper()
	if dir := os.Getenv(variable); dir != "" {
		return dir
	}
	f, known := folders[variable]
	if !known {
		var err error
		if f.dir, err = os.MkdirTemp("", "clients-"); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
		defer cancel()
		args := command(f.dir)
		if out, err := exec.CommandContext(ctx, args[0], args[1:]...).CombinedOutput(); err != nil {
			f.failed = fmt.Sprintf("%s: %v\n%s", strings.Join(args, " "), err, out)
		}
		folders[variable] = f
	}
	if f.failed != "" {
		t.Skip("the packages cannot be installed: " + f.failed)
	}
	return f.dir
}

func TestMain(m *testing.M) {
	code := m.Run()
	for _, f := range folders {
		_ = os.RemoveAll(f.dir)
	}
	os.Exit(code)
}

func output(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", cmd, err, out, errs.String())
	}
	return string(out)
}
