// These tests ask the module and a node for the same, and compare status, fields and body.

package module_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"contentedge/edgeserve"
	"contentedge/edgeserve/crash"
	"contentedge/generator"
)

// startNode serves a release as a node with default settings, and returns its address.
func startNode(t *testing.T, public string) string {
	t.Helper()
	config := edgeserve.Defaults()
	config.Public, config.Logger = public, slog.New(slog.DiscardHandler)
	s, err := edgeserve.New(config)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		defer crash.Exit()
		ended <- s.Serve(ctx, ln)
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	if err := s.Reload(ctx); err != nil {
		t.Fatal(err)
	}
	return ln.Addr().String()
}

// compare asks for the responses to requests.
func compare(t *testing.T, public string, requests []request) {
	t.Helper()
	dir, addr := files(t), startNode(t, public)
	var input bytes.Buffer
	for _, r := range requests {
		line, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		input.Write(append(line, '\n'))
	}
	node := exec.CommandContext(t.Context(), "node", "testdata/compare.mjs", dir, public, addr)
	node.Stdin, node.Stderr = &input, os.Stderr
	out, err := node.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	var sum struct {
		Asked, Different int
		Statuses         map[string]int
	}
	if err := json.Unmarshal(lines[len(lines)-1], &sum); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Logf("%d requests, statuses %v", sum.Asked, sum.Statuses)
	if sum.Asked != len(requests) || sum.Different > 0 || sum.Statuses["200"] < sum.Asked/10 {
		t.Errorf("%d of %d responses differ:\n%s", sum.Different, sum.Asked, out)
	}
}

// bodies are the search bodies with which the judge asks Elasticsearch, and those of the elastic package's tests.
func bodies(t *testing.T, env string) (requests []request) {
	t.Helper()
	names, err := filepath.Glob("../../../scripts/elasticsearch.d/bodies/*.jsonl")
	if err != nil || len(names) == 0 {
		t.Fatal(err, names)
	}
	for i, name := range names {
		for j, line := range linesOf(t, name) {
			target := "/cda/es/v1/" + env
			if (i+j)%2 == 0 {
				target += "/_search"
			}
			requests = append(requests, request{Method: "POST", Target: target, Body: line})
		}
	}
	for _, line := range linesOf(t, "../../../edgeserve/engine/elastic/testdata/responses.txt") {
		if target, body, _ := strings.Cut(line, "\t"); strings.HasPrefix(target, "/") {
			requests = append(requests, request{Method: "POST", Target: "/cda/es/v1" + strings.ReplaceAll(target, "/site", "/"+env), Body: strings.ReplaceAll(body, "⏎", "\n")})
		}
	}
	return requests
}

// linesOf reads the lines of a file, which may be compressed.
func linesOf(t *testing.T, name string) (lines []string) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	s := bufio.NewScanner(r)
	s.Buffer(nil, 64<<20)
	for s.Scan() {
		if line := strings.TrimSpace(s.Text()); line != "" {
			lines = append(lines, line)
		}
	}
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
	return lines
}

// item has the members of an item by which lists filter and order.
type item struct {
	ContentID, Name, TemplateName, CreatedBy, CreatedAt, Status string
	Data                                                        map[string]any
}

// random returns random requests for lists and items, some of which are wrong.
func random(items []item, env string, n int) (requests []request) {
	rnd := rand.New(rand.NewPCG(35, 1))
	root := "/cda/rest/v1/" + env + "/contents"
	some := func(list ...string) string { return list[rnd.IntN(len(list))] }
	for range n {
		i := items[rnd.IntN(len(items))]
		if rnd.IntN(5) == 0 {
			requests = append(requests, request{Method: some("GET", "GET", "HEAD"), Target: root + "/" + some(i.ContentID, i.ContentID, i.ContentID, "nope", i.ContentID[:len(i.ContentID)-1])})
			continue
		}
		q := url.Values{}
		set := func(name string, values ...string) {
			if rnd.IntN(4) == 0 {
				q.Set(name, some(values...))
			}
		}
		set("searchByName", i.Name, i.Name, i.Name[:rnd.IntN(len(i.Name)+1)], "nobody")
		set("searchByTemplateName", i.TemplateName, i.TemplateName, "None")
		set("searchByCreatedBy", i.CreatedBy, "nobody")
		set("searchByStatus", i.Status, "Draft")
		set("createdAt", i.CreatedAt, "2024", "never")
		paths := []string{"Name", "CreatedAt", "ContentID", "UpdatedAt", "none"}
		for path := range i.Data {
			paths = append(paths, "Data."+path)
		}
		set("sort", paths...)
		set("sortAsc", "true", "false", "maybe")
		set("page", "1", "2", "3", "0", "9999", "x")
		set("pageSize", "1", "5", "10", "50", "10001")
		fields := map[string]string{}
		switch rnd.IntN(20) {
		case 0:
			fields["range"] = fmt.Sprintf("bytes=%d-%d", rnd.IntN(100), rnd.IntN(400))
		case 1:
			fields["if-none-match"] = some("*", `"x"`)
		case 2:
			fields["origin"] = "https://a.example"
		}
		requests = append(requests, request{Method: some("GET", "GET", "GET", "GET", "HEAD", "OPTIONS", "PUT"), Target: root + "?" + q.Encode(), Fields: fields})
	}
	return requests
}

func parseItems(t *testing.T, lines []string) (items []item) {
	t.Helper()
	for _, line := range lines {
		var i item
		if err := json.Unmarshal([]byte(line), &i); err != nil {
			t.Fatal(err)
		}
		items = append(items, i)
	}
	return items
}

// TestEqual: module and node send the same responses from the sample content.
func TestEqual(t *testing.T) {
	files(t)
	public := sample(t)
	names, err := filepath.Glob(filepath.Join(public, "cda/rest/v1/site/contents/*.json"))
	if err != nil || len(names) == 0 {
		t.Fatal(err, names)
	}
	var items []item
	for _, name := range names {
		var file struct{ Data item }
		b, err := os.ReadFile(name)
		if err == nil {
			err = json.Unmarshal(b, &file)
		}
		if err != nil {
			t.Fatal(err)
		}
		items = append(items, file.Data)
	}
	requests := append(bodies(t, "site"), random(items, "site", 2000)...)
	if testing.Short() { // a part of each kind
		var part []request
		for i := 0; i < len(requests); i += 7 {
			part = append(part, requests[i])
		}
		requests = part
	}
	compare(t, public, requests)
}

// TestEqualOnCorpora: module and node send the same responses from real content: the bodies of golden searches, and
// 10,000 random requests for each corpus.
func TestEqualOnCorpora(t *testing.T) {
	files(t)
	shared := "../../../../shared"
	if testing.Short() {
		t.Skip("it takes minutes")
	}
	if _, err := os.Stat(shared + "/corpora"); err != nil {
		t.Skip("the corpora are not here: ", err)
	}
	for _, env := range []string{"astro", "tldr"} {
		t.Run(env, func(t *testing.T) {
			lines := linesOf(t, shared+"/corpora/"+env+".ndjson.gz")
			content := t.TempDir()
			if err := os.MkdirAll(filepath.Join(content, env), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(content, env, "items.ndjson"), []byte(strings.Join(lines, "\n")), 0o644); err != nil {
				t.Fatal(err)
			}
			public := filepath.Join(t.TempDir(), "public")
			if _, err := generator.Build(t.Context(), generator.BuildConfig{Content: content, Out: public, NoSync: true, Compress: "none", SnapshotOnly: true}); err != nil {
				t.Fatal(err)
			}
			requests := append(bodies(t, env), random(parseItems(t, lines), env, 10_000)...)
			for _, line := range linesOf(t, shared+"/golden/visible-"+env+".jsonl.gz") {
				var golden struct {
					Body    json.RawMessage
					RawBody string
				}
				if err := json.Unmarshal([]byte(line), &golden); err != nil {
					t.Fatal(err)
				}
				body := golden.RawBody
				if golden.Body != nil {
					body = string(golden.Body)
				}
				requests = append(requests, request{Method: "POST", Target: "/cda/es/v1/" + env, Body: body})
			}
			compare(t, public, requests)
		})
	}
}
