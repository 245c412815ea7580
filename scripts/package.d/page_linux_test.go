// This file runs the commands of the page.

package main

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestPage runs the commands of the page for archives and for Debian's packages, each section in a
// shell of its own, with the version of the artefacts.
func TestPage(t *testing.T) {
	need(t, "apt-get")
	page := string(read(t, "README.md"))
	block := regexp.MustCompile("(?s)\n```bash\n(.*?)```")
	for _, heading := range []string{"Verify", "Archives", "Debian and Ubuntu"} {
		t.Run(heading, func(t *testing.T) {
			_, section, found := strings.Cut(page, "\n## "+heading+"\n")
			if !found {
				t.Fatal("the page has no such section")
			}
			section, _, _ = strings.Cut(section, "\n## ")
			m := block.FindStringSubmatch(section)
			if m == nil {
				t.Fatal("the section has no commands")
			}
			onHost(t, strings.ReplaceAll(m[1], "1.2.3", strings.TrimPrefix(testVersion, "v")))
		})
	}
}

// TestManual: mandoc finds no fault in the manual pages, and bash none in completions.
func TestManual(t *testing.T) {
	root := unpackArchive(t, artefact(t, "contentedge-VERSION-linux-amd64.tar.gz"))
	dir := root + "/" + inside(t, root)
	check := func(program string, args ...string) {
		t.Helper()
		if _, err := exec.LookPath(program); err != nil {
			t.Logf("%s is not here", program)
			return
		}
		cmd := exec.Command("bash", append([]string{"-euc", `cd "$1"; shift; "$@"`, "check", dir, program}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", program, err, out)
		}
	}
	pages := list(t, dir+"/man")
	if len(pages) < 3 {
		t.Errorf("manual pages: %q", pages)
	}
	for _, name := range pages {
		check("mandoc", "-Tlint", "-Wwarning", "man/"+name)
	}
	for _, program := range []string{"edgeserve", "generator", "preview"} {
		check("bash", "-n", "completions/"+program+".bash")
		check("zsh", "-n", "completions/_"+program)
		check("fish", "--no-execute", "completions/"+program+".fish")
	}
}
