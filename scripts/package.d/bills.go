// This file makes the bills of materials.

package main

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"

	"packaging/bom"
	"packaging/licences"
	"packaging/source"
)

func (j *job) bills() error {
	requires, err := j.requirements()
	if err != nil {
		return err
	}
	for _, name := range source.Programs {
		s := bom.Subject{Name: name, Version: j.src.Version, Revision: j.src.Revision, Time: j.src.Time, Requires: requires}
		var sets [][]licences.Module
		for _, p := range j.platforms {
			data, err := j.program(name, p)
			if err != nil {
				return err
			}
			modules, err := j.collector.Of(j.src.Program(name, p))
			if err != nil {
				return err
			}
			s.Binaries = append(s.Binaries, bom.Binary{Platform: p.String(), SHA256: sha256Hex(data), Modules: modules})
			sets = append(sets, modules)
		}
		s.Modules = licences.Union(sets...)
		text, err := bom.Write(s)
		if err != nil {
			return err
		}
		if err := j.write(name+"-"+j.src.FileVersion()+".cdx.json", func(f *os.File) error {
			_, err := f.Write(text)
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// requirements reads the graph of modules; "" is the main module. Of a module that the graph has in
// several versions, as some require an older one, only the requirements of the chosen one count.
func (j *job) requirements() (map[string][]string, error) {
	chosen, err := j.chosen()
	if err != nil {
		return nil, err
	}
	out, err := j.src.GoFor(native(), "mod", "graph").Output()
	if err != nil {
		return nil, fmt.Errorf("go mod graph: %w", err)
	}
	all := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		from, to, _ := strings.Cut(strings.TrimSpace(line), " ")
		path, version, versioned := strings.Cut(from, "@")
		if !versioned {
			path = ""
		} else if chosen[path] != version {
			continue
		}
		to, _, _ = strings.Cut(to, "@")
		if !slices.Contains(all[path], to) {
			all[path] = append(all[path], to)
		}
	}
	return all, nil
}

// chosen are the versions of all modules of the build.
func (j *job) chosen() (map[string]string, error) {
	out, err := j.src.GoFor(native(), "list", "-m", "all").Output()
	if err != nil {
		return nil, fmt.Errorf("go list -m all: %w", err)
	}
	all := map[string]string{}
	for line := range bytes.Lines(out) {
		path, version, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		all[path] = version
	}
	return all, nil
}
