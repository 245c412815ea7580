// This file makes the archives.

package main

import (
	"fmt"
	"os"
	"strings"

	"packaging/source"
	"packaging/tree"
)

// sets are the archives of each platform: nodes need one program, and everybody else gets all.
var sets = []struct {
	name     string
	programs []string
}{
	{"edgeserve", []string{"edgeserve"}},
	{"contentedge", source.Programs},
}

func (j *job) archives() error {
	for _, p := range j.platforms {
		for _, set := range sets {
			name := j.artefact(set.name, p)
			files, err := j.archive(set.name, set.programs, p)
			if err != nil {
				return err
			}
			if err := j.write(name+".tar.gz", func(f *os.File) error {
				return tree.TarGz(f, tree.Below(name, files), j.src.Time)
			}); err != nil {
				return err
			}
		}
	}
	return nil
}

// archive are the files of an archive.
func (j *job) archive(set string, programs []string, p source.Platform) ([]tree.File, error) {
	var files []tree.File
	for _, name := range programs {
		data, err := j.program(name, p)
		if err != nil {
			return nil, err
		}
		files = append(files, tree.New(name, 0o755, data))
		for _, d := range j.documents[name] {
			dir := "completions"
			if d.kind == man {
				dir = "man"
			}
			files = append(files, tree.New(dir+"/"+d.name, 0o644, d.data))
		}
	}
	page, err := j.licences(programs, p)
	if err != nil {
		return nil, err
	}
	readme, err := j.text("texts/" + set + ".txt")
	if err != nil {
		return nil, err
	}
	about := fmt.Sprintf("Version %s for %s, compiled with %s.\n", j.src.Version, p, j.src.Go)
	files = append(files,
		tree.New(licencesFile, 0o644, page),
		tree.New("README.txt", 0o644, []byte(strings.Replace(string(readme), "VERSION\n", about, 1))),
	)
	examples := map[string]string{"systemd/edgeserve.conf": "edgeserve.conf"}
	if p.OS == "linux" {
		examples["systemd/edgeserve.service"] = "systemd/edgeserve.service"
		examples["systemd/edgeserve.socket"] = "systemd/edgeserve.socket"
	}
	return files, j.add(&files, examples)
}
