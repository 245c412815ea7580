package cmd

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPlatforms checks that the programs compile on each system that they are made for. It checks types,
// which takes a thirtieth of the time of a compiler, and finds what differs between systems: names that are
// absent, and types of other widths.
func TestPlatforms(t *testing.T) {
	platforms := []string{"darwin/arm64", "freebsd/amd64"} // linux/arm64 is what TestProcessors runs
	if testing.Short() {
		platforms = platforms[1:]
	}
	for _, platform := range platforms {
		t.Run(platform, func(t *testing.T) {
			t.Parallel()
			for _, err := range typeErrors(t, platform, "./edgeserve", "./generator", "./preview") {
				t.Error(err)
			}
		})
	}
	t.Run("windows/amd64", func(t *testing.T) {
		t.Parallel()
		const sentence = "contentedge_does_not_run_on_Windows"
		if err := errors.Join(typeErrors(t, "windows/amd64", "./builtin")...); err == nil || !strings.Contains(err.Error(), sentence) {
			t.Errorf("the error of a build is %v, which lacks %s", err, sentence)
		}
	})
}

// listed is a package, as go list describes it.
type listed struct {
	ImportPath, Dir string
	GoFiles         []string
	ImportMap       map[string]string
}

// typeErrors checks the types of packages, and of all that they import, on a system/architecture.
func typeErrors(t *testing.T, platform string, names ...string) (found []error) {
	system, arch, _ := strings.Cut(platform, "/")
	cmd := exec.Command("go", append([]string{"list", "-deps", "-json=ImportPath,Dir,GoFiles,ImportMap"}, names...)...)
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	c := checker{system: system, arch: arch, files: token.NewFileSet(), done: map[string]*types.Package{"unsafe": types.Unsafe}}
	// go list names a package after all that it imports.
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return c.found
		} else if err != nil {
			t.Fatal(err)
		}
		c.check(p)
	}
}

type checker struct {
	system, arch string
	files        *token.FileSet
	done         map[string]*types.Package
	found        []error
}

func (c *checker) check(p listed) {
	if c.done[p.ImportPath] != nil {
		return
	}
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(c.files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			c.found = append(c.found, err)
			return
		}
		files = append(files, f)
	}
	config := types.Config{
		Importer: imports{c, p.ImportMap}, Sizes: types.SizesFor("gc", c.arch),
		IgnoreFuncBodies: !strings.HasPrefix(p.ImportPath, module),
		FakeImportC:      true,
		Error:            func(err error) { c.found = append(c.found, err) },
	}
	c.done[p.ImportPath], _ = config.Check(p.ImportPath, c.files, files, nil)
}

type imports struct {
	*checker
	renamed map[string]string // of the packages that the standard library copied
}

func (i imports) Import(name string) (*types.Package, error) {
	if other, ok := i.renamed[name]; ok {
		name = other
	}
	if p := i.done[name]; p != nil {
		return p, nil
	}
	return nil, errors.New(name + " is not listed")
}
