// These tests compile the clients, and let them talk to servers that play scripts.

package types_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "rewrite golden files")

var pages = map[string][]string{"Page": {`{"title":"x"}`}}

// TestTypeScriptClient compares what the cases of testdata/client.ts send, and what comes of it, with client.txt.
func TestTypeScriptClient(t *testing.T) {
	tsc, dir := compiler(t), t.TempDir()
	cases, err := os.ReadFile("testdata/client.ts")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "package.json"), `{"type":"module"}`)
	write(t, filepath.Join(dir, "content.ts"), typescript(t, environment(t, pages)))
	write(t, filepath.Join(dir, "client.ts"), string(cases))
	out, err := in(dir, "node", append(tsc, "--rewriteRelativeImportExtensions", filepath.Join(dir, "client.ts"))...)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err = in(dir, "node", "client.js"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	golden(t, "testdata/client.txt", out)
}

// TestGoClient runs testdata/client.gotext, a test of the client.
func TestGoClient(t *testing.T) {
	dir := t.TempDir()
	cases, err := os.ReadFile("testdata/client.gotext")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "go.mod"), "module content\n\ngo 1.26\n")
	write(t, filepath.Join(dir, "content.go"), golang(t, environment(t, pages)))
	write(t, filepath.Join(dir, "content_test.go"), string(cases))
	if out, err := in(dir, "go", "test", "./..."); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// compiler returns the arguments of node that run tsc with every check, or skips the test.
func compiler(t *testing.T) []string {
	t.Helper()
	modules := os.Getenv("TEST_CONTENTEDGE_NPM")
	tsc := filepath.Join(modules, "node_modules", "typescript", "bin", "tsc")
	if _, err := os.Stat(tsc); modules == "" || err != nil {
		t.Skip("TEST_CONTENTEDGE_NPM names no directory with typescript installed: TypeScript is not compiled")
	}
	if os.Getenv("TEST_CONTENTEDGE_WASM") == "" {
		t.Skip("TypeScript is compiled by scripts/wasm test")
	}
	return []string{tsc, "--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", "--noPropertyAccessFromIndexSignature", "--noImplicitOverride", "--noUnusedLocals", "--noUnusedParameters",
		"--isolatedModules", "--verbatimModuleSyntax", "--erasableSyntaxOnly", "--target", "es2022", "--module", "nodenext", "--lib", "es2023,dom,dom.iterable"}
}

func in(dir, name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	return cmd.CombinedOutput()
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("%s: got\n%s", name, got)
	}
}
