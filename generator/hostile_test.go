package generator

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"contentedge/generator/source/record/recordtest"
)

// Hostile files are refused by a build, each with its place, within bounds of time and memory.
func TestHostileFiles(t *testing.T) {
	laughs := "a: &a [1,1,1,1,1,1,1,1,1]\n"
	for c := 'b'; c < 'k'; c++ {
		alias := "*" + string(c-1) + ","
		laughs += string(c) + ": &" + string(c) + " [" + strings.Repeat(alias, 9) + "]\n"
	}
	var bomb bytes.Buffer
	w, _ := gzip.NewWriterLevel(&bomb, gzip.BestCompression)
	for range 100 {
		_, _ = w.Write(make([]byte, 1<<20))
	}
	_ = w.Close()
	front := "---\ntitle: One\ndate: 2024-01-02\n"
	files := map[string]struct{ text, want string }{
		"laughs.md":         {"---\n" + laughs + "---\n", "laughs.md:7:8: aliases add more than 100000 values to this record"},
		"laughs.yaml":       {laughs, "laughs.yaml:6:8: aliases add more than 100000 values to this record"},
		"table.md":          {front + "---\n" + strings.Repeat("|a", 4000) + "|\n" + strings.Repeat("|-", 4000) + "|\n" + strings.Repeat("|a|\n", 4000), "table.md:6:1: the tables of this text have more than 100000 cells"},
		"emphasis.md":       {front + "---\n" + strings.Repeat("*a_ ", 50_000), "emphasis.md:5:"},
		"endless.md":        {front + strings.Repeat("a: b\n", 400_000), "endless.md:1:1: the front matter has no end"},
		"line.md":           {"", "line.md: this file has 1073741824 bytes; a .md file may have 16777216"},
		"line.csv":          {"", "line.csv: this file has 1073741824 bytes; a .csv file may have 33554432"},
		"line.ndjson":       {"", "line.ndjson:1:1: this line has more than 33554432 bytes"},
		"key.md":            {"---\n" + strings.Repeat("k", 1<<20-100) + ": 1\n---\n", "key.md:2:1: this key has 1048476 bytes; a key may have 32768"},
		"bomb.ndjson.gz":    {bomb.String(), "bomb.ndjson.gz:1:1: this line has more than 33554432 bytes"},
		"itself.yaml":       {"a: &a [*a]\n", `itself.yaml:1:8: the value of the anchor "a" contains itself here`},
		"_environment.yaml": {"sources:\n- files: '*.md'\n- files: '**'\n  id: {from: a}\n", ""},
	}
	content := t.TempDir()
	for name, f := range files {
		path := filepath.Join(content, "site", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(f.text), 0o644); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(name, "line.") {
			if err := os.Truncate(path, 1<<30); err != nil {
				t.Skip("no sparse files here:", err)
			}
		}
	}
	var err error
	recordtest.Bounded(t, 8*time.Second, 800<<20, func() {
		_, err = Build(context.Background(), BuildConfig{Content: content, Out: filepath.Join(t.TempDir(), "public")})
	})
	var refused *ContentError
	if !errors.As(err, &refused) {
		t.Fatal(err)
	}
	var found []string
	for _, d := range refused.Diagnostics {
		found = append(found, strings.ReplaceAll(d.String(), filepath.Join(content, "site")+"/", ""))
	}
	for name, f := range files {
		ok := f.want == ""
		for _, d := range found {
			ok = ok || strings.HasPrefix(d, f.want)
		}
		if !ok {
			t.Errorf("%s: want %s", name, f.want)
		}
	}
	if t.Failed() {
		t.Logf("%.4000s", strings.Join(found, "\n"))
	}
}
