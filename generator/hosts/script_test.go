// These tests run the programs written for functions and workers: CloudFront's in bare
// contexts of Node behind a stand-in for a distribution, the worker in Node, and in
// workerd where TEST_CONTENTEDGE_NPM names a directory that has miniflare installed.

package hosts

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"contentedge/edgeserve/listenaddr/freeport"
	"contentedge/edgeserve/wire/address/addresstest"
	"contentedge/edgeserve/wire/release"
)

// generate writes a host's configuration into a directory.
func generate(t *testing.T, name string, c Deployment) (dir string) {
	t.Helper()
	files, err := Generate(name, c)
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	for _, f := range files {
		write(t, filepath.Join(dir, f.Name), f.Body)
	}
	return dir
}

// startNode runs a script of testdata that listens at the port it is given first.
func startNode(t *testing.T, script string, args ...string) *client {
	t.Helper()
	addr := freeport.Addr(t)
	_, port, _ := net.SplitHostPort(addr)
	script, err := filepath.Abs(filepath.Join("testdata", script))
	if err != nil {
		t.Fatal(err)
	}
	start(t, addr, program(t, "node"), append([]string{script, port}, args...)...)
	return &client{addr: addr}
}

// nodeRefuses counts the vectors that Node's HTTP parser refuses before a program of
// ours is asked: a target with bytes beyond ASCII.
const nodeRefuses = 1

// serveCloudFront runs the functions behind a stand-in for a distribution.
func serveCloudFront(t *testing.T, m *release.Manifest, root, edge, runtime string) *client {
	t.Helper()
	dir := generate(t, "cloudfront", Deployment{Manifest: m, Edge: edge})
	return startNode(t, "cloudfront.js", root, edge, runtime, filepath.Join(dir, "cloudfront-request.js"), filepath.Join(dir, "cloudfront-response.js"))
}

// generateWorker writes a worker under a name that Node takes for a module.
func generateWorker(t *testing.T, m *release.Manifest, edge string) (file string) {
	t.Helper()
	dir := generate(t, "cloudflare-worker", Deployment{Manifest: m, Edge: edge})
	file = filepath.Join(dir, "worker.mjs")
	if err := os.Rename(filepath.Join(dir, "_worker.js"), file); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestCloudFront(t *testing.T) {
	program(t, "node")
	w := readWorld(t)
	root, m := w.lay(t), w.manifest()
	serve := func(t *testing.T, edge, runtime string) *client { return serveCloudFront(t, m, root, edge, runtime) }
	t.Run("with an edge server", func(t *testing.T) {
		c := serve(t, standIn(t), "2.0")
		vectorsPass(t, w, c.ask, false, tally{exact: 267, refused: nodeRefuses})
		if got := randomPass(t, w, c.ask, 3000); got.missed > 0 {
			t.Errorf("%d requests for files went to the edge server", got.missed)
		}
		nothingElse(t, w, c)
		item := w.someItem()
		pinnedAsked(t, w, c, map[string]string{item: strings.TrimSuffix(item, ".json"), "/cda/rest/v1/" + w.env + "/contents-list/sort-updatedat-desc-20/page-2.json": ""})
	})
	t.Run("alone", func(t *testing.T) {
		c := serve(t, "", "2.0")
		vectorsPass(t, w, c.ask, true, tally{exact: 267, refused: nodeRefuses})
		nothingElse(t, w, c)
		headersRight(t, w, c)
		selfNamed(t, w, c.ask)
		mediaHeaders(t, c.ask, "/cda/media/"+w.env+"/"+mediaDigest+"/", "a.png", "a-b_2.mp4", "c.pdf")
		ownAnswers(t, w, c)
		preflightsAnswered(t, w, c)
		pinnedAlone(t, w, c)
	})
	t.Run("without the raw query", func(t *testing.T) {
		c := serve(t, standIn(t), "1.0")
		vectorsPass(t, w, c.ask, false, tally{exact: 131, missed: 136, refused: nodeRefuses}) // every list and item with a query
	})
}

// TestScriptsAreECMAScript5 parses what CloudFront has to run with a parser for that
// version: the one that Node carries within.
func TestScriptsAreECMAScript5(t *testing.T) {
	node := program(t, "node")
	w := readWorld(t)
	dir := generate(t, "cloudfront", Deployment{Manifest: w.manifest(), Edge: "https://" + strings.Repeat("a.", 100) + "example.org"})
	for _, name := range []string{"cloudfront-request.js", "cloudfront-response.js"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || len(b) > maxFunction {
			t.Errorf("%s has %d bytes, %v", name, len(b), err)
		}
		t.Logf("%s: %d bytes", name, len(b))
		out, err := exec.Command(node, "--expose-internals", "-e",
			"require('internal/deps/acorn/acorn/dist/acorn').parse(require('fs').readFileSync(process.argv[1], 'utf8'), {ecmaVersion: 5})", filepath.Join(dir, name)).CombinedOutput()
		if strings.Contains(string(out), "Cannot find module") {
			t.Skip("this Node has no parser to share: the version of the script is not checked")
		}
		if err != nil {
			t.Errorf("%s: %v\n%.600s", name, err, out)
		}
	}
}

func TestWorker(t *testing.T) {
	program(t, "node")
	w := readWorld(t)
	root, m := w.lay(t), w.manifest()
	run := map[string]func(t *testing.T, worker string) *client{
		"node": func(t *testing.T, worker string) *client { return startNode(t, "worker-node.mjs", root, worker) },
		"workerd": func(t *testing.T, worker string) *client {
			modules := os.Getenv("TEST_CONTENTEDGE_NPM")
			if modules == "" {
				t.Skip("TEST_CONTENTEDGE_NPM names no directory with miniflare installed: not run in workerd")
			}
			return startNode(t, "worker-workerd.cjs", root, worker, modules)
		},
	}
	want := map[string]tally{"node": {exact: 264, also: 3, refused: nodeRefuses}, "workerd": {exact: 265, also: 3}}
	for name, serve := range run {
		worker := func(t *testing.T, edge string) *client { return serve(t, generateWorker(t, m, edge)) }
		t.Run(name, func(t *testing.T) {
			t.Run("with an edge server", func(t *testing.T) {
				c := worker(t, standIn(t))
				vectorsPass(t, w, urlParsed(c.ask), false, want[name])
				randomPass(t, w, urlParsed(c.ask), 3000)
				nothingElse(t, w, c)
				pinnedAsked(t, w, c, nil)
			})
			t.Run("alone", func(t *testing.T) {
				c := worker(t, "")
				vectorsPass(t, w, c.ask, true, want[name])
				nothingElse(t, w, c)
				headersRight(t, w, c)
				selfNamed(t, w, c.ask)
				mediaHeaders(t, c.ask, "/cda/media/"+w.env+"/"+mediaDigest+"/", "a.png", "a-b_2.mp4", "c.pdf")
				ownAnswers(t, w, c)
				preflightsAnswered(t, w, c)
				pinnedAlone(t, w, c)
			})
			t.Run("edge server down", func(t *testing.T) {
				c := worker(t, "http://"+freeport.Addr(t))
				r := c.ask(t, "GET", "/cda/rest/v1/"+w.env+"/contents?page=0")
				if r.status != 503 || r.header("Cache-Control") != release.CacheControl(release.ClassError) || !strings.Contains(r.body, `"edge_unreachable"`) {
					t.Errorf("%d %s", r.status, r.body)
				}
			})
		})
	}
}

// urlParsed forgives what the URL parser of workers does to a target before a worker
// sees it: dot segments go, and bytes that URLs do not hold are escaped.
func urlParsed(host ask) ask {
	return func(t *testing.T, method, target string) reply {
		t.Helper()
		r := host(t, method, target)
		if r.asked == method+" "+parseAsURL(target) {
			r.asked = method + " " + target
		}
		return r
	}
}

// parseAsURL does to a target what the URL standard says of paths and queries.
func parseAsURL(target string) string {
	path, query, found := strings.Cut(target, "?")
	var parts []string
	segments := strings.Split(strings.ReplaceAll(path, `\`, "/"), "/")[1:]
	for i, s := range segments {
		dots := strings.ReplaceAll(strings.ToLower(s), "%2e", ".")
		last := i == len(segments)-1
		switch {
		case dots == ".." && len(parts) > 0:
			parts = parts[:len(parts)-1]
		case dots == "." || dots == "..":
		default:
			parts = append(parts, s)
			continue
		}
		if last {
			parts = append(parts, "")
		}
	}
	path = "/" + strings.Join(parts, "/")
	if !found || query == "" {
		return path
	}
	return path + "?" + strings.NewReplacer(`"`, "%22", "'", "%27", "<", "%3C", ">", "%3E", "é", "%C3%A9").Replace(query)
}

// TestFunctionInNJS runs the viewer request's function in njs, the engine that
// CloudFront's runtime comes from, with all vectors and random requests.
func TestFunctionInNJS(t *testing.T) {
	njs := program(t, "njs")
	w := readWorld(t)
	dir := generate(t, "cloudfront", Deployment{Manifest: w.manifest(), Edge: "http://edge.example.org"})
	script, err := os.ReadFile(filepath.Join(dir, "cloudfront-request.js"))
	if err != nil {
		t.Fatal(err)
	}
	type sent struct{ Method, URI, Query string }
	var requests []sent
	add := func(method, target string) {
		path, query, _ := strings.Cut(target, "?")
		requests = append(requests, sent{method, path, query})
	}
	for _, v := range w.vectors {
		add(v.Method, v.Target)
	}
	rng := rand.New(rand.NewPCG(9, 9))
	for range 3000 {
		add("GET", w.randomTarget(rng))
	}
	list, err := json.Marshal(requests)
	if err != nil {
		t.Fatal(err)
	}
	script = fmt.Appendf(script, "\nvar requests = %s;\nrequests.forEach(function (r) {\n  var e = { request: { method: r.Method, uri: r.URI, querystring: {}, headers: {}, rawQueryString: function () { return r.Query; } } };\n  console.log('> ' + (handler(e).uri || ''));\n});\n", list)
	write(t, filepath.Join(dir, "all.js"), script)
	out, err := exec.Command(njs, filepath.Join(dir, "all.js")).CombinedOutput()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err != nil || len(lines) != len(requests) {
		t.Fatalf("%d answers to %d requests, %v\n%.600s", len(lines), len(requests), err, out)
	}
	files := 0
	for i, r := range requests {
		_, got, _ := strings.Cut(lines[i], "> ")
		file, ok := addresstest.Map(r.Method, r.URI+"?"+r.Query, w.defaults)
		switch want := ok && w.files["/"+file]; {
		case want && got != "/"+file, !want && w.files[got]:
			t.Errorf("%s %s?%s: %q, want %q (%t)", r.Method, r.URI, r.Query, got, file, want)
		case want:
			files++
		}
	}
	t.Logf("%d requests, %d of them for files", len(requests), files)
}
