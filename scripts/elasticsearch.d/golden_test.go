// This file writes responses of Elasticsearch into files, for tests that run without it.

package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// One of goldenEvery bodies is kept, unless its line is longer than goldenLine bytes.
const (
	goldenEvery = 6
	goldenLine  = 12 << 10
)

// refusedBodies are those that only we refuse.
const refusedBodies = "refused.jsonl"

// TestGolden writes origin-site.jsonl into the directory ELASTICSEARCH_GOLDEN.
func TestGolden(t *testing.T) {
	dir := setting(t, "ELASTICSEARCH_GOLDEN")
	judge, envs := begin(t)
	site := envs[slices.IndexFunc(envs, func(j judged) bool { return j.env.ID == "site" })]
	files, err := filepath.Glob(filepath.Join("bodies", "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var text []byte
	for _, file := range files {
		if filepath.Base(file) == refusedBodies {
			continue
		}
		for i, body := range bodies(t, file) {
			if i%goldenEvery > 0 {
				continue
			}
			line, err := judge.Golden(site.env.ID, site.fields, body)
			if err != nil {
				t.Fatalf("%s:%d: %v", file, i+1, err)
			}
			if len(line) <= goldenLine {
				text = append(text, line...)
			}
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "origin-site.jsonl"), text, 0o644); err != nil {
		t.Fatal(err)
	}
}
