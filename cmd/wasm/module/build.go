// This file builds the module with go, as packages do before they embed it.

package module

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// source is the package of the module's source.
const source = "contentedge/cmd/wasm"

// project is the module of Go that source is in.
var project, _, _ = strings.Cut(source, "/")

// Build builds the module from the clone that dir is in. The bytes depend only on the source and the version of go.
func Build(ctx context.Context, dir string) ([]byte, error) {
	if err := inClone(ctx, dir); err != nil {
		return nil, err
	}
	temp, err := os.MkdirTemp("", "contentedge-wasm-*")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(temp) }()
	out := filepath.Join(temp, WebAssembly)
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-buildmode=c-shared", "-ldflags=-s -w -buildid=", "-o", out, source)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=", "GOWORK=off")
	if text, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build %s: %w\n%s", source, err, bytes.TrimSpace(text))
	}
	return os.ReadFile(out)
}

// inClone returns an error unless dir is in a clone of the project and go is there.
func inClone(ctx context.Context, dir string) error {
	remedy := "run this in a clone of " + project + " with Go installed, or take the generator from a package, which carries the module"
	cmd := exec.CommandContext(ctx, "go", "list", "-m")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, exec.ErrNotFound) {
		return errors.New("the module is built from its source, and go is not installed: " + remedy)
	}
	if err != nil || strings.TrimSpace(string(out)) != project {
		return errors.New("the module is built from its source, which is not here: " + remedy)
	}
	return nil
}
