// This file tests that programs for another processor make the same releases and send the same responses.
package cmd

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/searchtest"
)

// Variables name the processor to compare with, by its GOARCH, and ask more bodies than in the usual run.
const (
	processorVar       = "TEST_CONTENTEDGE_PROCESSOR"
	processorBodiesVar = "TEST_CONTENTEDGE_PROCESSOR_BODIES"
	processorBodies    = 2000
)

// emulated returns commands for another processor that run here. No function that they link may have
// a product that is fused with a sum.
func emulated(t *testing.T, names ...string) map[string]string {
	t.Helper()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("compares other processors with amd64 on Linux")
	}
	processor := os.Getenv(processorVar)
	if processor == "" {
		t.Skip(processorVar + " names no processor, such as arm64: compiling for it takes a minute")
	}
	emulator := "qemu-" + strings.Replace(processor, "arm64", "aarch64", 1) + "-static"
	if _, err := exec.LookPath(emulator); err != nil {
		t.Skip(emulator + " is missing: apt-get install qemu-user-static")
	}
	dir := t.TempDir()
	if out, err := exec.Command("../scripts/fused", "-o", dir, processor).CombinedOutput(); err != nil {
		t.Fatalf("scripts/fused: %v\n%s", err, out)
	}
	bin := map[string]string{}
	for _, n := range names {
		bin[n] = filepath.Join(dir, n)
		run := fmt.Sprintf("#!/bin/sh\nexec %s '%s' \"$@\"\n", emulator, filepath.Join(dir, processor, n))
		if err := os.WriteFile(bin[n], []byte(run), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return bin
}

// askedEnvironment is an environment with the bodies that are asked about it.
type askedEnvironment struct {
	id    string
	items []string
	body  func() []byte
	share int // of all bodies, in percent
}

func askedEnvironments(t *testing.T) []askedEnvironment {
	r, asked := rand.New(rand.NewPCG(8, 31)), 0
	many, few, numbers := searchtest.Items(r, 150), searchtest.Items(r, 61), numberItems(r, 500)
	return []askedEnvironment{
		{"many", many, searchtest.Bodies(t, r, many), 30},
		{"few", few, searchtest.Bodies(t, r, few), 10},
		{"numbers", numbers, func() []byte {
			if asked++; asked <= len(edgeBodies) {
				return []byte(edgeBodies[asked-1])
			}
			return []byte(numberBody(r))
		}, 60},
	}
}

func TestProcessors(t *testing.T) {
	theirs := emulated(t, "generator", "edgeserve")
	ours := binaries(t, "generator", "edgeserve")
	content := t.TempDir()
	envs := askedEnvironments(t)
	for _, e := range envs {
		write(t, filepath.Join(content, e.id, "items.ndjson"), strings.Join(e.items, "\n"))
	}
	for name, body := range savedNumberBodies {
		write(t, filepath.Join(content, "numbers", "_searches", name+".json"), body)
	}
	public := [2]string{filepath.Join(t.TempDir(), "amd64"), filepath.Join(t.TempDir(), "other")}
	for i, bin := range []map[string]string{ours, theirs} {
		cmd := exec.Command(bin["generator"], "build", "--content", content, "--out", public[i], "--compress", "gzip,br,zstd", "--no-sync", "--quiet")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	for i := range public { // the note names the program that built
		if err := os.Remove(filepath.Join(public[i], "releases", ".inputs")); err != nil {
			t.Fatal(err)
		}
	}
	sameTrees(t, public[0], public[1])
	if out, err := exec.Command(ours["generator"], "verify", public[1]).CombinedOutput(); err != nil {
		t.Errorf("a release of the other processor is called damaged: %v\n%s", err, out)
	}
	if t.Failed() {
		return
	}
	edges := [2]string{serve(t, ours["edgeserve"], public[0]), serve(t, theirs["edgeserve"], public[1])}
	all := processorBodies
	if more := os.Getenv(processorBodiesVar); more != "" {
		var err error
		if all, err = strconv.Atoi(more); err != nil {
			t.Fatal(err)
		}
	}
	for _, e := range envs {
		answered, matching := 0, 0
		asked := all * e.share / 100
		for range asked {
			body := e.body()
			want, got := responseTo(t, edges[0], e.id, body), responseTo(t, edges[1], e.id, body)
			if want != got {
				t.Errorf("%s\namd64: %s\nother: %s", body, want, got)
			}
			if strings.HasPrefix(want, "200 ") {
				answered++
				if !strings.Contains(want, `"totalItems":0`) {
					matching++
				}
			}
		}
		t.Logf("%s: %d bodies, %d answered, %d match", e.id, asked, answered, matching)
		if answered < asked*2/3 || matching < asked/4 {
			t.Errorf("%s: the bodies are no good", e.id)
		}
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// responseTo returns the status and the body of a response.
func responseTo(t *testing.T, base, env string, body []byte) string {
	t.Helper()
	r, err := http.Post(base+"/cda/es/v1/"+env, "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d %s", r.StatusCode, b)
}

// sameTrees compares the names, the links and the bytes of files.
func sameTrees(t *testing.T, a, b string) {
	t.Helper()
	left, right := tree(t, a), tree(t, b)
	for name, text := range left {
		if other, ok := right[name]; !ok || other != text {
			t.Errorf("%s: other bytes, or missing", name)
		}
	}
	if len(left) != len(right) || len(left) < 500 {
		t.Errorf("%d files and links, and %d", len(left), len(right))
	}
}

func tree(t *testing.T, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, _ := filepath.Rel(root, path)
		if d.Type()&fs.ModeSymlink != 0 {
			out[name], err = os.Readlink(path)
			return err
		}
		text, err := os.ReadFile(path)
		out[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
