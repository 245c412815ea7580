// These tests let tools of other parties judge the document of OpenAPI, and the node by it.

package frontend

import (
	"os"
	"path/filepath"
	"testing"
)

// python is a directory with programs of PyPI: that which a variable names, or one of the test.
func python(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("schemathesis takes minutes")
	}
	if dir := os.Getenv("TEST_CONTENTEDGE_SCHEMATHESIS"); dir != "" {
		return dir
	}
	dir := filepath.Join(work, "python")
	if _, err := os.Stat(dir); err != nil {
		run(t, "", nil, need(t, "python3"), "-m", "venv", dir)
		run(t, "", nil, filepath.Join(dir, "bin", "pip"), "install", "--quiet", "schemathesis>=4,<5", "openapi-spec-validator<1")
	}
	return dir
}

// document writes the document of the sample release.
func document(t *testing.T, flags ...string) (file string) {
	t.Helper()
	s := sample()
	if s.failed != "" {
		t.Fatal(s.failed)
	}
	file = filepath.Join(t.TempDir(), "openapi.json")
	run(t, "", nil, filepath.Join(s.bin, "generator"), append([]string{"openapi", "--public", s.public, "--out", file}, flags...)...)
	return file
}

// TestValid: the document is one of OpenAPI 3.1.
func TestValid(t *testing.T) {
	validator := filepath.Join(python(t), "bin", "openapi-spec-validator")
	for _, flags := range [][]string{nil, {"--env", "site"}} {
		run(t, "", nil, validator, document(t, flags...))
	}
}

// TestSchemathesis: nothing that a node answers differs from the document.
func TestSchemathesis(t *testing.T) {
	program := filepath.Join(python(t), "bin", "schemathesis")
	for _, engine := range []string{"auto", "off"} {
		t.Run("--fast-path "+engine, func(t *testing.T) {
			dir := t.TempDir() // where schemathesis keeps what it finds
			for _, name := range []string{"schemathesis.toml", "schemathesis_hooks.py"} {
				text, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				write(t, dir, map[string]string{name: string(text)})
			}
			out := run(t, dir, nil, program, "run", document(t), "--url", edge(t, "--fast-path", engine), "--checks", "all")
			t.Log(tail(out))
		})
	}
}
