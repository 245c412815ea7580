// This file reports the version of a program.

package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/release"
)

// sourceVersion and sourceCommit are for builds from a source archive, which has no history that
// the go command could read. Set them by -ldflags '-X contentedge/cmd/cli.sourceVersion=v1.2.3'.
var sourceVersion, sourceCommit string

// Version is what a program knows about itself.
type Version struct {
	Program  string         `json:"program"`
	Version  string         `json:"version"` // v1.2.3, a pseudo-version, or (devel)
	Commit   string         `json:"commit,omitempty"`
	Time     string         `json:"time,omitempty"`     // of the commit
	Modified bool           `json:"modified,omitempty"` // the sources differ from the commit
	Go       string         `json:"go"`
	Platform string         `json:"platform"`
	Formats  map[string]int `json:"formats,omitempty"` // the newest versions that the program reads
}

// Formats are the formats that all programs share, with the newest version of each that they read.
func Formats() []Format {
	return []Format{{"manifest", release.NewestFormat}, {"snapshot", snapshot.Version}, {"pointer", release.NewestPointerFormat}}
}

// unknownVersion is the version of a build without a history, as the go command calls it.
const unknownVersion = "(devel)"

// VersionOf returns the version of a program, from what the go command records in it.
func VersionOf(program string, formats []Format) Version {
	v := Version{Program: program, Version: unknownVersion, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, Formats: map[string]int{}}
	for _, f := range formats {
		v.Formats[f.Name] = f.Version
	}
	info, ok := debug.ReadBuildInfo()
	if ok && info.Main.Version != "" {
		v.Version = info.Main.Version
	}
	if ok {
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				v.Commit = s.Value
			case "vcs.time":
				v.Time = s.Value
			case "vcs.modified":
				v.Modified = s.Value == "true"
			}
		}
	}
	if v.Version == unknownVersion && sourceVersion != "" {
		v.Version = sourceVersion
	}
	if v.Commit == "" {
		v.Commit = sourceCommit
	}
	return v
}

func (p *Program) printVersion(form string) error {
	v := VersionOf(p.Root.Name, p.Formats)
	if form == "json" {
		b, err := json.Marshal(v)
		if err != nil {
			return err
		}
		_, err = p.Out.Write(append(b, '\n'))
		return err
	}
	text := fmt.Sprintf("%s %s\n", v.Program, v.Version)
	if v.Commit != "" {
		commit := v.Commit
		if v.Time != "" {
			commit += " of " + v.Time
		}
		if v.Modified {
			commit += ", modified"
		}
		text += "commit: " + commit + "\n"
	}
	text += "go: " + v.Go + " " + v.Platform + "\n"
	var formats []string
	for _, f := range p.Formats {
		formats = append(formats, fmt.Sprintf("%s %d", f.Name, f.Version))
	}
	if len(formats) > 0 {
		text += "formats: " + strings.Join(formats, ", ") + "\n"
	}
	_, err := io.WriteString(p.Out, text)
	return err
}
