// Package licences collects the licences of the modules that a program links.
package licences

import (
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// Standard is the path of Go's standard library, which every program links.
const Standard = "std"

// Module is a module that a program links, with its licences.
type Module struct {
	Path    string
	Version string
	Sum     string   // as in go.sum; "" of the standard library
	IDs     []string // SPDX identifiers of the licence at the module's root
	Texts   []Text
}

// Text is a licence or a notice.
type Text struct{ Name, Text string }

// names are files that have to be passed on with a program.
var names = regexp.MustCompile(`(?i)^(licen[cs]es?|copying|notice|patents|unlicense)([.-].*)?$`)

// conditions are the names of the files that say what is allowed.
var conditions = regexp.MustCompile(`(?i)^(licen|copying|unlicense)`)

// recognised is the part of a licence, in percent, that must be text of known licences.
const recognised = 75

// Collector reads licences from the cache of modules, each once.
type Collector struct {
	Go    func(args ...string) *exec.Cmd // a command of Go in the source
	known map[string]Module
}

// Of are the modules that a program links, sorted by path: the standard library and the modules that the
// program's build information has, as `go version -m` prints them.
func (c *Collector) Of(program string) ([]Module, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, err
	}
	standard, err := c.standard(info.GoVersion)
	if err != nil {
		return nil, err
	}
	all := []Module{standard}
	for _, d := range info.Deps {
		if d.Replace != nil {
			d = d.Replace
		}
		m, err := c.module(d.Path, d.Version)
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b Module) int { return strings.Compare(a.Path, b.Path) })
	return all, nil
}

func (c *Collector) standard(version string) (Module, error) {
	out, err := c.Go("env", "GOROOT").Output()
	if err != nil {
		return Module{}, fmt.Errorf("go env GOROOT: %w", err)
	}
	m := Module{Path: Standard, Version: version}
	return m, m.read(strings.TrimSpace(string(out)), false)
}

func (c *Collector) module(path, version string) (Module, error) {
	if m, ok := c.known[path+"@"+version]; ok {
		return m, nil
	}
	if version == "" {
		return Module{}, fmt.Errorf("%s is replaced by a directory: its licences are unknown", path)
	}
	var info struct{ Dir, Sum, Error string }
	out, err := c.Go("mod", "download", "-json", path+"@"+version).Output()
	if jsonErr := json.Unmarshal(out, &info); jsonErr != nil && err == nil {
		err = jsonErr
	}
	if info.Error != "" {
		err = errors.New(info.Error)
	}
	if err != nil {
		return Module{}, fmt.Errorf("%s %s is not in the cache of modules: %w", path, version, err)
	}
	m := Module{Path: path, Version: version, Sum: info.Sum}
	if err := m.read(info.Dir, true); err != nil {
		return Module{}, err
	}
	if c.known == nil {
		c.known = map[string]Module{}
	}
	c.known[path+"@"+version] = m
	return m, nil
}

// read reads the licences in a directory and, where parts of a module have licences of their own,
// below it.
func (m *Module) read(dir string, below bool) error {
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != dir && (!below || d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case !d.Type().IsRegular() || !names.MatchString(d.Name()) || filepath.Ext(file) == ".go":
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, file)
		m.Texts = append(m.Texts, Text{filepath.ToSlash(name), strings.ReplaceAll(string(text), "\r\n", "\n")})
		return err
	})
	if err != nil {
		return err
	}
	return m.identify()
}

// identify finds the identifiers of the licences at the root, and fails if there are none.
func (m *Module) identify() error {
	found := false
	for _, t := range m.Texts {
		if strings.Contains(t.Name, "/") || !conditions.MatchString(t.Name) {
			continue
		}
		found = true
		coverage := licensecheck.Scan([]byte(t.Text))
		if coverage.Percent < recognised {
			return fmt.Errorf("%s %s: %s is not a known licence: read it, and decide whether it may be linked", m.Path, m.Version, t.Name)
		}
		for _, match := range coverage.Match {
			if !match.IsURL && !slices.Contains(m.IDs, match.ID) {
				m.IDs = append(m.IDs, match.ID)
			}
		}
	}
	if !found {
		return fmt.Errorf("%s %s has no licence file: it may not be passed on", m.Path, m.Version)
	}
	return nil
}

// Union are the modules of several programs, sorted by path.
func Union(sets ...[]Module) []Module {
	all := slices.Concat(sets...)
	slices.SortStableFunc(all, func(a, b Module) int { return strings.Compare(a.Path, b.Path) })
	return slices.CompactFunc(all, func(a, b Module) bool { return a.Path == b.Path && a.Version == b.Version })
}

const rule = "================================================================================\n"

// Page is a text with all licences, for those who get a program.
func Page(programs string, modules []Module) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Licences of the modules that are linked into %s.\n\n", programs)
	for _, m := range modules {
		fmt.Fprintf(&b, "%s %s: %s\n", m.title(), m.Version, strings.Join(m.IDs, ", "))
	}
	for _, m := range modules {
		for _, t := range m.Texts {
			fmt.Fprintf(&b, "\n%s%s %s: %s\n%s\n%s\n", rule, m.title(), m.Version, t.Name, rule, strings.Trim(t.Text, "\n"))
		}
	}
	return b.String()
}

func (m Module) title() string {
	if m.Path == Standard {
		return "Go's standard library and runtime"
	}
	return m.Path
}
