package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestFillPage(t *testing.T) {
	var s sample
	p, _, _ := s.program()
	p.Root.Commands[0].Exits = []Exit{{"0", "done"}, {"1", "see --public"}}
	documented := map[string]bool{}
	got, err := p.FillPage(`# Page
<!-- flags of tool push: Output -->
old
<!-- end -->
by hand
<!-- flags of tool push, tool gc: Content, Output -->
<!-- end -->
<!-- exit codes of tool push -->
<!-- end -->
`, documented)
	want := `# Page
<!-- flags of tool push: Output -->
| flag | default | meaning |
|---|---|---|
| ` + "`--access-log`" + ` | off | log requests |
| ` + "`--token-file FILE`" + ` | none | file with the token of the store |
| ` + "`--dry-run`" + ` | off | write nothing; on the command line only |
| ` + "`--insecure`" + ` | off | allow http |
<!-- end -->
by hand
<!-- flags of tool push, tool gc: Content, Output -->
| flag | commands | meaning |
|---|---|---|
| ` + "`--public DIR`" + ` | push | directory of the release (default ` + "`public`" + `) |
| ` + "`--cors-origin ORIGIN`" + ` | push | origin of pages; repeatable (default ` + "`*`" + `) |
| ` + "`--poll DURATION`" + ` | push | time between polls (default ` + "`1s`" + `) |
| ` + "`--cache-bytes SIZE`" + ` | push | memory of the cache (default ` + "`64MiB`" + `) |
| ` + "`--mode MODE`" + ` | push | how (default ` + "`fast`" + `) |
| ` + "`--access-log`" + ` | all | log requests |
| ` + "`--token-file FILE`" + ` | push | file with the token of the store |
| ` + "`--dry-run`" + ` | push | write nothing; on the command line only |
| ` + "`--insecure`" + ` | push | allow http |
| ` + "`--keep N`" + ` | gc | builds that stay (default ` + "`5`" + `) |
<!-- end -->
<!-- exit codes of tool push -->
| exit code | meaning |
|---|---|
| 0 | done |
| 1 | see ` + "`--public`" + ` |
<!-- end -->
`
	if err != nil || got != want {
		t.Errorf("%v\n%s", err, got)
	}
	for _, name := range p.Documentable() {
		if !documented[name] {
			t.Errorf("%s is not documented", name)
		}
	}
	for _, wrong := range []string{"<!-- flags of tool pull -->\n<!-- end -->\n", "<!-- flags of tool push: Inputs -->\n<!-- end -->\n", "<!-- flags of tool push -->\n"} {
		if _, err := p.FillPage(wrong, documented); err == nil {
			t.Errorf("%q is filled", wrong)
		}
	}
}

func TestShadowed(t *testing.T) {
	var s sample
	p, _, _ := s.program()
	if names := p.Shadowed(); names != nil {
		t.Errorf("%v", names)
	}
	p, _, _ = s.program()
	p.Root.Commands[1].Group("Content").Int(new(int), "port", "N", "a port")
	if names := p.Shadowed(); len(names) != 1 || names[0] != "tool gc --port" {
		t.Errorf("%v", names)
	}
}

// TestMan writes the pages twice: they have the same bytes and the date of SOURCE_DATE_EPOCH. Tools
// for manual pages find nothing wrong.
func TestMan(t *testing.T) {
	var s sample
	environ := []string{"SOURCE_DATE_EPOCH=1767225600"}
	dirs := []string{filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")}
	for _, dir := range dirs {
		if _, _, err := s.run(environ, "man", dir); err != nil {
			t.Fatal(err)
		}
	}
	files, err := filepath.Glob(dirs[0] + "/*.1")
	if err != nil || len(files) != 5 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		again, _ := os.ReadFile(filepath.Join(dirs[1], filepath.Base(file)))
		if err != nil || !bytes.Equal(text, again) || !strings.Contains(string(text), `1 "2026-01-01" "contentedge (devel)"`) {
			t.Errorf("%s: %v\n%s", file, err, text)
		}
		if strings.HasSuffix(file, "tool-push.1") {
			for _, part := range []string{".SS Output\n", ".B \\-\\-public DIR\n", ".BR tool (1)\n"} {
				if !strings.Contains(string(text), part) {
					t.Errorf("no %q in\n%s", part, text)
				}
			}
		}
		for _, lint := range [][]string{{"mandoc", "-T", "lint", "-W", "style"}, {"groff", "-man", "-ww", "-z"}} {
			if _, err := exec.LookPath(lint[0]); err != nil {
				continue
			}
			if out, err := exec.Command(lint[0], append(lint[1:], file)...).CombinedOutput(); err != nil || len(out) > 0 {
				t.Errorf("%s: %v\n%s", lint[0], err, out)
			}
		}
	}
	for _, wrong := range []string{"SOURCE_DATE_EPOCH=", "SOURCE_DATE_EPOCH=2026-01-01"} {
		if _, _, err := s.run([]string{wrong}, "man", t.TempDir()); err == nil {
			t.Errorf("%s is a date", wrong)
		}
	}
	for text, want := range map[string]string{".TH x": `\&.TH x`, "'a": `\&'a`, `\fB-x`: `\efB\-x`} {
		if got := roff(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}
