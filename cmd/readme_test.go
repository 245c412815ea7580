package cmd

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestReadmeAnswers sends the README's requests to a server with the sample content
// and compares the answers with those it prints.
func TestReadmeAnswers(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	bin := binaries(t, "generator", "edgeserve")
	public := filepath.Join(t.TempDir(), "public")
	buildSite(t, bin["generator"], "../content", public)
	base := serve(t, bin["edgeserve"], public)
	shown := regexp.MustCompile("(?s)```sh\ncurl 'http://127.0.0.1:8080([^']*)'(?: -d '([^']*)')?\n```\n\n```json\n(.*?)\n```").FindAllStringSubmatch(string(readme), -1)
	if len(shown) < 2 {
		t.Fatalf("the README shows %d requests", len(shown))
	}
	for _, m := range shown {
		var r *http.Response
		if m[2] == "" {
			r, err = http.Get(base + m[1])
		} else {
			r, err = http.Post(base+m[1], "application/json", strings.NewReader(m[2]))
		}
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil || string(got) != m[3] {
			t.Errorf("%s %s\n got %s\nwant %s", m[1], m[2], got, m[3])
		}
	}
}

// TestReadmeCommands checks that every program and flag the README names exists.
func TestReadmeCommands(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	bin := binaries(t, "generator", "edgeserve", "preview")
	lines := regexp.MustCompile(`(?m)^go run \./cmd/(\w+)([^\n#]*)`).FindAllStringSubmatch(string(readme), -1)
	if len(lines) < 5 {
		t.Fatalf("the README shows %d commands", len(lines))
	}
	for _, l := range lines {
		args := strings.Fields(l[2])
		help := []string{"--help"}
		if l[1] == "generator" && len(args) > 0 {
			help = []string{args[0], "--help"}
		}
		text, _ := exec.Command(bin[l[1]], help...).CombinedOutput()
		for _, a := range args {
			if strings.HasPrefix(a, "--") && !strings.Contains(string(text), strings.TrimPrefix(a, "-")) {
				t.Errorf("%s: %s has no flag %s", l[0], l[1], a)
			}
		}
	}
	for _, script := range []string{"../scripts/test", "../scripts/bench", "../scripts/soak"} {
		if st, err := os.Stat(script); err != nil || st.Mode()&0o111 == 0 {
			t.Errorf("%s is not there to be run: %v", script, err)
		}
	}
}
