// This file makes packages of Linux distributions.

package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"packaging/distro"
	"packaging/source"
)

// licence is the licence of the packages. The project names none: its owner decides.
const licence = "unspecified"

// packageRelease counts packages of one version. A change of only a package is a version too.
const packageRelease = "1"

// licencesFile has the licences of linked modules.
const licencesFile = "THIRD-PARTY-LICENSES.txt"

// product is a program with packages. The name of the second one is longer than its program's, as
// many programs are generators.
type product struct {
	program, name, summary, description string
}

var products = []product{
	{"edgeserve", "edgeserve", "Edge server for contentedge releases",
		"It serves a release that contentedge's generator built: REST lists and items,\nand Elasticsearch-style searches, from files and memory-mapped snapshots.\nIt can follow a store of releases."},
	{"generator", "contentedge-generator", "Build and publish contentedge releases",
		"It turns a directory of content into a release of JSON pages, items and a\nsearchable snapshot, verifies releases, and publishes them into a store."},
}

// format is what differs between distributions.
type format struct {
	name    string // and the end of names of files
	version func(*source.Source) (string, error)
	zsh     string // directory of completions
}

var formats = []format{
	{"deb", debianVersion, "/usr/share/zsh/vendor-completions"},
	{"rpm", debianVersion, "/usr/share/zsh/site-functions"},
	{"apk", (*source.Source).AlpineVersion, "/usr/share/zsh/site-functions"},
}

func debianVersion(s *source.Source) (string, error) { return s.DebianVersion(), nil }

func (j *job) linuxPackages() error {
	var all []distro.Package
	for _, p := range j.platforms {
		if p.OS != "linux" {
			continue
		}
		for _, f := range formats {
			for _, product := range products {
				one, err := j.linuxPackage(product, f, p)
				if err != nil {
					return err
				}
				all = append(all, one)
			}
		}
	}
	list, err := json.Marshal(all)
	if err != nil {
		return err
	}
	writer := filepath.Join(j.work, "linux-packages")
	build := exec.Command("go", "build", "-o", writer, "./linux")
	build.Dir = filepath.Join(j.src.Root, "scripts", "package.d")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	cmd := exec.Command(writer)
	cmd.Stdin = bytes.NewReader(list)
	// nfpm reads the time of some files from the variable.
	cmd.Env = append(os.Environ(), fmt.Sprintf("SOURCE_DATE_EPOCH=%d", j.src.Time.Unix()))
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

func (j *job) linuxPackage(product product, f format, p source.Platform) (distro.Package, error) {
	version, err := f.version(j.src)
	if err != nil {
		return distro.Package{}, err
	}
	one := distro.Package{
		Format: f.name, Out: filepath.Join(j.dist, j.artefact(product.name, p)+"."+f.name),
		Name: product.name, Version: version, Release: packageRelease, Arch: p.Arch,
		Maintainer: j.maintainer, Vendor: "contentedge",
		Summary: product.summary, Description: product.summary + "\n" + product.description, Time: j.src.Time,
	}
	files := &stage{job: j, dir: filepath.Join(j.work, "stage", f.name, p.Arch, product.name)}
	if f.name != "deb" { // which has no field for it
		one.License = licence
	}
	if f.name == "apk" {
		one.Description = product.summary // a field is a line
	}
	if f.name == "rpm" {
		one.Description = product.description // the summary is a field of its own
		one.Changelog = files.changelog()
	}
	j.common(files, product, f, p)
	if product.program == "edgeserve" {
		j.service(files, f)
		one.Scripts = files.scripts(f.name)
	}
	one.Files = files.files
	return one, files.err
}

// common are the files of each package: the program, completions, pages of the manual and licences.
func (j *job) common(s *stage, product product, f format, p source.Platform) {
	program, err := j.program(product.program, p)
	s.fail(err)
	s.add("/usr/bin/"+product.program, 0o755, program)
	for _, d := range j.documents[product.program] {
		switch d.kind {
		case bash:
			s.add("/usr/share/bash-completion/completions/"+product.program, 0o644, d.data)
		case zsh:
			s.add(f.zsh+"/_"+product.program, 0o644, d.data)
		case fish:
			s.add("/usr/share/fish/vendor_completions.d/"+product.program+".fish", 0o644, d.data)
		case man:
			s.document("/usr/share/man/man1/"+d.name+".gz", s.gzip(d.data))
		}
	}
	page, err := j.licences([]string{product.program}, p)
	s.fail(err)
	s.document("/usr/share/doc/"+product.name+"/"+licencesFile, page)
	if f.name == "deb" {
		s.debian(product.name)
	}
}

// debian adds what Debian's policy asks of a package.
func (s *stage) debian(name string) {
	doc := "/usr/share/doc/" + name
	s.copy(doc+"/copyright", 0o644, "texts/copyright")
	src := s.job.src
	changes := fmt.Sprintf("%s (%s-%s) unstable; urgency=medium\n\n  * Version %s.\n\n -- %s  %s\n",
		name, src.DebianVersion(), packageRelease, src.Version, s.job.maintainer, src.Time.Format("Mon, 02 Jan 2006 15:04:05 -0700"))
	s.add(doc+"/changelog.Debian.gz", 0o644, s.gzip([]byte(changes)))
	overrides, err := s.job.text("texts/lintian-overrides")
	s.fail(err)
	s.add("/usr/share/lintian/overrides/"+name, 0o644, overrides)
}

// service are the files that run the edge server: units of systemd, or a script of OpenRC.
func (j *job) service(s *stage, f format) {
	s.copy("/etc/contentedge/edgeserve.conf", 0o644, "systemd/edgeserve.conf")
	s.files[len(s.files)-1].Config = true
	if f.name == "apk" {
		s.copy("/etc/init.d/edgeserve", 0o755, "openrc/edgeserve")
		return
	}
	s.copy("/usr/lib/systemd/system/edgeserve.service", 0o644, "systemd/edgeserve.service")
	s.copy("/usr/lib/systemd/system/edgeserve.socket", 0o644, "systemd/edgeserve.socket")
}

// stage has the files of one package on the disk, as nfpm reads them there.
type stage struct {
	job   *job
	dir   string
	files []distro.File
	err   error // the first one
}

func (s *stage) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

func (s *stage) add(path string, mode fs.FileMode, data []byte) {
	from := filepath.Join(s.dir, filepath.FromSlash(path))
	if s.err == nil {
		s.fail(os.MkdirAll(filepath.Dir(from), 0o755))
	}
	if s.err == nil {
		s.fail(os.WriteFile(from, data, 0o644))
	}
	s.files = append(s.files, distro.File{From: from, Path: path, Mode: mode})
}

// document adds a file that nothing needs.
func (s *stage) document(path string, data []byte) {
	s.add(path, 0o644, data)
	s.files[len(s.files)-1].Document = true
}

// copy adds a file of this directory.
func (s *stage) copy(path string, mode fs.FileMode, name string) {
	data, err := s.job.text(name)
	s.fail(err)
	s.add(path, mode, data)
}

func (s *stage) gzip(data []byte) []byte {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	s.fail(err)
	_, err = z.Write(data)
	s.fail(err)
	s.fail(z.Close())
	return b.Bytes()
}

// changelog is a file in the form that nfpm reads, with one entry. JSON is YAML.
func (s *stage) changelog() string {
	src := s.job.src
	text, err := json.Marshal([]any{map[string]any{
		"semver": src.DebianVersion() + "-" + packageRelease, "date": src.Time, "packager": s.job.maintainer,
		"changes": []any{map[string]string{"note": "Version " + src.Version + "."}},
	}})
	s.fail(err)
	file := filepath.Join(s.dir, "changelog.yaml")
	s.fail(os.MkdirAll(s.dir, 0o755))
	s.fail(os.WriteFile(file, text, 0o644))
	return file
}

// scripts are the scripts of a format, as far as it has them. An apk has the times of their files, so they are copies
// with the time of the source: files of a checkout have the time at which it was made.
func (s *stage) scripts(format string) distro.Scripts {
	file := func(name string) string {
		text, err := s.job.text("maintainer/" + format + "/" + name)
		if errors.Is(err, fs.ErrNotExist) {
			return ""
		}
		s.fail(err)
		path := filepath.Join(s.dir, "maintainer", name)
		s.fail(os.MkdirAll(filepath.Dir(path), 0o755))
		s.fail(os.WriteFile(path, text, 0o644))
		s.fail(os.Chtimes(path, s.job.src.Time, s.job.src.Time))
		return path
	}
	return distro.Scripts{
		PreInstall: file("pre-install"), PostInstall: file("post-install"),
		PreRemove: file("pre-remove"), PostRemove: file("post-remove"),
	}
}
