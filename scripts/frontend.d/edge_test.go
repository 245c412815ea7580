// Package frontend tests what front-end developers meet: the page for them, loaders of frameworks, and the document of
// OpenAPI, against a real edge server. scripts/frontend test runs it.
package frontend

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience is how long a test waits for something that takes milliseconds.
const patience = time.Minute

// site is a release of the sample content, and the programs.
type site struct{ bin, public, failed string }

// sample builds programs and release once for all tests. TestMain removes them.
var (
	work   string
	sample = sync.OnceValue(func() (s site) {
		s.bin, s.public = work, filepath.Join(work, "public")
		for _, command := range []*exec.Cmd{
			exec.Command("go", "build", "-C", "../..", "-o", work+"/", "./cmd/generator", "./cmd/edgeserve"),
			exec.Command(filepath.Join(work, "generator"), "build", "--quiet", "--content", "../../content", "--out", s.public),
		} {
			if out, err := command.CombinedOutput(); err != nil {
				s.failed = command.String() + ": " + err.Error() + "\n" + string(out)
				return s
			}
		}
		return s
	})
)

func TestMain(m *testing.M) {
	var err error
	if work, err = os.MkdirTemp("", "frontend-"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(work)
	os.Exit(code)
}

// edge starts an edge server and returns its address.
func edge(t *testing.T, flags ...string) (base string) {
	t.Helper()
	s := sample()
	if s.failed != "" {
		t.Fatal(s.failed)
	}
	cmd := exec.Command(filepath.Join(s.bin, "edgeserve"), append(flags, "--public", s.public, "--addr", "127.0.0.1:0")...)
	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	address, ended := make(chan string, 1), make(chan struct{})
	go func() {
		defer close(ended)
		for lines := bufio.NewScanner(log); lines.Scan(); {
			var line struct{ Msg, Address string }
			if json.Unmarshal(lines.Bytes(), &line) == nil && line.Msg == "listening" {
				address <- line.Address
			}
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		<-ended // Wait closes the pipe
		if err := cmd.Wait(); err != nil {
			t.Errorf("edgeserve: %v", err)
		}
	})
	select {
	case base = <-address:
		base = "http://" + base
	case <-time.After(patience):
		t.Fatal("the edge server does not say where it listens")
	}
	client := &http.Client{Timeout: time.Second}
	for end := time.Now().Add(patience); ; {
		response, err := client.Get(base + "/readyz")
		if err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return base
			}
		}
		if time.Now().After(end) {
			t.Fatalf("the edge server is not ready: %v", err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// run runs a command to its end.
func run(t *testing.T, dir string, environ []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), environ...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, tail(string(out)))
	}
	return string(out)
}

// tail is the end of a long text.
func tail(s string) string {
	const most = 12000
	return s[max(0, len(s)-most):]
}

// need skips a test without a program.
func need(t *testing.T, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("there is no %s on this machine", program)
	}
	return path
}

// blocks are the files that the page shows, by name.
func blocks(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../../edgeserve/FRONTEND.md")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for part := range strings.SplitSeq(string(text), "\n```js file=") {
		name, rest, _ := strings.Cut(part, "\n")
		if body, _, ok := strings.Cut(rest, "\n```"); ok && !strings.HasPrefix(part, "#") {
			files[name] = body + "\n"
		}
	}
	return files
}

// write writes files of the page, and others.
func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
