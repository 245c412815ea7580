// Linux writes packages of Linux distributions: it reads their list as JSON from standard input.
// It is a program of its own because nfpm takes long to compile, and archives and images need none.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/apk"
	_ "github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm"

	"packaging/distro"
)

func main() {
	if err := run(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(in io.Reader) error {
	var all []distro.Package
	if err := json.NewDecoder(in).Decode(&all); err != nil {
		return err
	}
	for _, p := range all {
		if err := write(p); err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(p.Out), err)
		}
	}
	return nil
}

func write(p distro.Package) error {
	packager, err := nfpm.Get(p.Format)
	if err != nil {
		return err
	}
	info := &nfpm.Info{
		Name: p.Name, Arch: p.Arch, Platform: "linux", Version: p.Version, VersionSchema: "none", Release: p.Release,
		Section: "web", Priority: "optional", Maintainer: p.Maintainer, Vendor: p.Vendor, Description: p.Description,
		License: p.License, Changelog: p.Changelog, MTime: p.Time, DisableGlobbing: true,
		Overridables: nfpm.Overridables{
			Scripts: nfpm.Scripts{
				PreInstall: p.Scripts.PreInstall, PostInstall: p.Scripts.PostInstall,
				PreRemove: p.Scripts.PreRemove, PostRemove: p.Scripts.PostRemove,
			},
			// The name of the machine would be in the package.
			RPM: nfpm.RPM{BuildHost: "localhost", Summary: p.Summary, Group: "System Environment/Daemons", Packager: p.Maintainer},
			Deb: nfpm.Deb{Compression: "xz"},
		},
	}
	for _, f := range p.Files {
		info.Contents = append(info.Contents, content(f, p.Format))
	}
	info = nfpm.WithDefaults(info)
	if err := nfpm.PrepareForPackager(info, p.Format); err != nil {
		return err
	}
	out, err := os.OpenFile(p.Out, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	if err := packager.Package(info, out); err != nil {
		out.Close()
		return err
	}
	if err := out.Chmod(0o644); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}

func content(f distro.File, format string) *files.Content {
	c := &files.Content{Source: f.From, Destination: f.Path, FileInfo: &files.ContentFileInfo{Mode: f.Mode, Owner: "root", Group: "root"}}
	switch {
	case f.Config:
		c.Type = files.TypeConfigNoReplace
	case f.Document && format == "rpm":
		c.Type = files.TypeRPMDoc
	case f.Mode&fs.ModeDir != 0:
		c.Type = files.TypeDir
	}
	return c
}
