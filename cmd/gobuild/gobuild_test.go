package gobuild

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestCache runs a test twice that builds a program with Program: a change of the program's source must run it again, and
// nothing else.
func TestCache(t *testing.T) {
	dir := t.TempDir()
	source, err := os.ReadFile("gobuild.go")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"go.mod":                 "module example.org/m\n\ngo 1.26\n",
		"go.sum":                 "",
		"cmd/prog/main.go":       "package main\n\nfunc main() { println(\"good\") }\n",
		"edgeserve/x.go":         "package edgeserve\n",
		"generator/x.go":         "package generator\n",
		"cmd/gobuild/gobuild.go": string(source),
		"cmd/gobuild/x_test.go": `package gobuild

import ("os/exec"; "path/filepath"; "testing")

func TestProgram(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "prog")
	if err := Program("prog", bin); err != nil { t.Fatal(err) }
	if out, _ := exec.Command(bin).CombinedOutput(); string(out) != "good\n" { t.Fatalf("it says %s", out) }
}
`,
	} {
		write(t, filepath.Join(dir, name), text)
	}
	run := func() (string, error) {
		cmd := exec.Command("go", "test", "./cmd/gobuild")
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	// Go keeps no result of a test that looked at a file younger than two seconds.
	aged(t, dir)
	for range 2 {
		if out, err := run(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	if out, _ := run(); !strings.Contains(out, "(cached)") {
		t.Errorf("an unchanged program is tested again: %s", out)
	}
	write(t, filepath.Join(dir, "cmd/prog/main.go"), "package main\n\nfunc main() { println(\"BROKEN\") }\n")
	if out, err := run(); err == nil || !strings.Contains(out, "it says BROKEN") {
		t.Errorf("a broken program passes: %v %s", err, out)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// aged makes all files of a directory an hour old.
func aged(t *testing.T, dir string) {
	t.Helper()
	if out, err := exec.Command("find", dir, "-exec", "touch", "-d", "1 hour ago", "{}", "+").CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
}
