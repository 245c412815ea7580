// This file compares our search with the answers of Elasticsearch that golden_test.go wrote down.
// It needs no node.

package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"elasticsearch/compare"
	"elasticsearch/index"
	"elasticsearch/release"

	"contentedge/edgeserve/engine/cluster/translate"
	edge "contentedge/edgeserve/wire/release"
)

// kept has the answers, a line each.
const kept = "../../edgeserve/engine/search/testdata/origin-site.jsonl"

func TestKeptAnswers(t *testing.T) {
	dir := t.TempDir()
	build := exec.Command("go", "build", "-C", "../..", "-o", dir, "./cmd/generator", "./cmd/edgeserve")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	programs, public, content := release.Programs(dir), filepath.Join(dir, "public"), filepath.Join(dir, "content")
	if err := copySample(filepath.Join("..", "..", "content"), content); err != nil {
		t.Fatal(err)
	}
	if err := programs.Build(content, public); err != nil {
		t.Fatal(err)
	}
	m, err := release.Read(public)
	if err != nil {
		t.Fatal(err)
	}
	url, stop, err := programs.Serve(public)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	site := m.Environments[slices.IndexFunc(m.Environments, func(e edge.Environment) bool { return e.ID == "site" })]
	keptAnswers(t, url, site, func([]byte) bool { return false })
}

// keptAnswers compares the answers of the server at url with those that were written down. known reports whether a body
// may have another answer.
func keptAnswers(t *testing.T, url string, site edge.Environment, known func(body []byte) bool) {
	t.Helper()
	file, err := os.Open(kept)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	judge := compare.NewJudge(compare.Endpoint(index.New(url)), index.New(""))
	var all outcome
	for lines := bufio.NewReader(file); ; {
		line, err := lines.ReadBytes('\n')
		if len(line) == 0 {
			break
		}
		body, v, cannot := judge.CompareKept(site.ID, translate.NewFields(site.Fields), line)
		if cannot != nil {
			t.Fatalf("%v in %.200s", cannot, line)
		}
		if v.Difference != "" && v.Reason == "" && known(body) {
			v.Difference = ""
		}
		all.count(v)
		if v.Difference != "" && v.Reason == "" {
			t.Errorf("%s\n%s", body, v.Difference)
		}
		if err != nil {
			break
		}
	}
	t.Logf("goldens: %v", &all)
	if all.asked-all.refused < 100 || all.differ > 0 {
		t.Errorf("%v", &all)
	}
}
