// This file tests that each program calls itself by one name, and all of them by the name of the project
// in the requests that they send.

package cmd

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var programs = []string{"edgeserve", "generator", "preview"}

// TestProgramNames runs each program: its help, its version, and its messages begin with its name.
func TestProgramNames(t *testing.T) {
	paths := binaries(t, programs...)
	wrong := filepath.Join(t.TempDir(), "content")
	for _, name := range programs {
		for _, test := range []struct {
			args, begin string
			status      int
		}{
			{"--help", "Usage: " + name + " ", 0},
			{"--version", name + " ", 0},
			{"--no-such-flag", name + ": unknown flag ", 3},
		} {
			said, status := ended(t, paths[name], test.args)
			if !strings.HasPrefix(said, test.begin) || status != test.status {
				t.Errorf("%s %s: status %d, %q; want status %d, a text that begins with %q", name, test.args, status, said, test.status, test.begin)
			}
		}
	}
	said, status := ended(t, paths["generator"], "build", "--content", wrong, "--out", wrong+"-public")
	lines := strings.Split(strings.TrimSpace(said), "\n")
	if last := lines[len(lines)-1]; status != 2 || !strings.HasPrefix(last, "generator: refused: ") {
		t.Errorf("a refused build: status %d, last line %q; want status 2 and a line that begins with the name of the program", status, last)
	}
}

// ended returns what a program prints, and its exit status.
func ended(t *testing.T, path string, args ...string) (string, int) {
	t.Helper()
	cmd := exec.Command(path, args...)
	said, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return string(said), cmd.ProcessState.ExitCode()
}

// TestProgramNamesStandOnce finds messages that spell the name of a program, where its constant would do.
func TestProgramNamesStandOnce(t *testing.T) {
	begins := regexp.MustCompile(`(?m)^(contentedge|` + strings.Join(programs, "|") + `): `)
	permitted := map[string]string{
		"cmd/wasm/request.go":      "messages of contentedge.wasm",
		"generator/hosts/hosts.go": "the first line of a configuration",
	}
	for _, l := range literalsOf(t) {
		if permitted[l.file] == "" && begins.MatchString(l.text) {
			t.Errorf("%s:%d: %q spells the name of a program: write program+\": …\"", l.file, l.line, l.text)
		}
	}
}

// TestRequestsNameUs finds requests that would have the User-Agent of Go's library, which some CDNs refuse.
func TestRequestsNameUs(t *testing.T) {
	eachProductFile(t, func(path string) {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text := string(b)
		if strings.Contains(text, "http.NewRequest") && !strings.Contains(text, "httpfield.OurAgent") {
			t.Errorf("%s makes requests without httpfield.OurAgent", path)
		}
	})
}
