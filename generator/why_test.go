package generator

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestExplainNamesTheOrigin: each kind of file and rule that hides an item is named with its value and its place.
func TestExplainNamesTheOrigin(t *testing.T) {
	const settings = "sources:\n- files: rule/**\n  status: Draft\n- files: else/**\n  status: {from: state, live: Published, else: Archived}\n- files: list.csv\n  id: {from: code}\n  dates: [{created: d}]\n- files: \"**\"\n"
	head := "title: T\ndate: 2024-01-02\n"
	long := strings.Repeat("x", 300)
	for _, c := range []struct{ file, text, line string }{
		{"a.md", "---\n" + head + "unlisted: true\n---\n", "its Status is from unlisted: true, at FILE:4:11"},
		{"b.md", "---\n" + head + "DRAFT: \"Yes\"\nprivate: false\n---\n", "its Status is from DRAFT: Yes, at FILE:4:8"},
		{"c.md", "---\n" + head + "draft: true\nprivate: on\n---\n", "its Status is from private: on, at FILE:5:10"},
		{"d.md", "+++\ntitle = 'T'\ndate = 2024-01-02\nbuild = {list = 'always', render = 'never'}\n+++\n", "its Status is from build.render: never, at FILE:4:36"},
		{"e.yaml", head + "Status: Review\n", "its Status is from Status: Review, at FILE:3:9"},
		{"f.yaml", head + "status: " + long + "\n", "its Status is from status: \"xxx"},
		{"g.md", "---\ntitle: T\ndate: 2999-01-02\n---\n", "its PublishedAt is from date: 2999-01-02, at FILE:3:7"},
		{"h.md", "---\n" + head + "pubDate: 2999-01-02\n---\n", "its PublishedAt is from pubDate: 2999-01-02, at FILE:4:10"},
		{"i.md", "---\n" + head + "expires: 2024-02-01\nexpiryDate: 2024-01-31\n---\n", "its ExpiresAt is from expiryDate: 2024-01-31, at FILE:5:13"},
		{"2999-01-02-j.md", "---\ntitle: T\n---\n", ""},
		{"k.md", "---\n" + head + "---\n", ""},
		{"rule/l.md", "---\n" + head + "---\n", "its Status is from status: Draft, at SETTINGS:3:11"},
		{"else/m.md", "---\n" + head + "---\n", "its Status is from status.else: Archived, at SETTINGS:5:11"},
		{"else/n.md", "---\n" + head + "state: new\n---\n", "its Status is from state: new, at FILE:4:8"},
		{"list.csv", "code,d,private\nA,2024-01-02,yes\n", "its Status is from private: yes, at FILE:2:14"},
		{"o.json", "[{\"ContentID\":\"o\",\"Name\":\"n\",\"TemplateName\":\"T\",\n\"CreatedAt\":\"2024-01-01T00:00:00Z\",\"Status\":\"a, \\u202e\"}]", "its Status is from Status: \"a, \\u202e\", at FILE:2:45"},
		{"p.ndjson", ndjson("p", "", 20000) + ndjson("q", `,"Status":"Draft"`, 1), "its Status is from Status: Draft, at FILE:20001:"},
	} {
		dir := t.TempDir()
		name := filepath.Join(dir, "e", c.file)
		writeText(t, filepath.Join(dir, "e", "_environment.yaml"), settings)
		writeText(t, name, c.text)
		of := filepath.Join("e", c.file)
		if strings.HasSuffix(of, ".ndjson") {
			of = "q0"
		}
		found, err := Explain(t.Context(), BuildConfig{Content: dir}, View{}, "e", of)
		if err != nil || len(found.Items) != 1 {
			t.Errorf("%s: %v %+v", c.file, err, found)
			continue
		}
		lines := strings.NewReplacer(name, "FILE", filepath.Join(dir, "e", "_environment.yaml"), "SETTINGS").Replace(strings.Join(found.Items[0].Lines(), "\n"))
		if c.line == "" && strings.Contains(lines, "is from") || !strings.Contains(lines, c.line) || len(lines) > 1000 {
			t.Errorf("%s: want %s in\n%s", c.file, c.line, lines)
		}
	}
}

// ndjson returns lines with an item each.
func ndjson(id, more string, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(`{"ContentID":"` + id + strconv.Itoa(i) + `","Name":"n","TemplateName":"T","CreatedAt":"2024-01-01T00:00:00Z"` + more + "}\n")
	}
	return b.String()
}

func writeText(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
