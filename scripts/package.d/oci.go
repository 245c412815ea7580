// This file makes the container image.

package main

import (
	"io/fs"
	"os"
	"time"

	"packaging/image"
	"packaging/source"
	"packaging/tree"
)

// nobody is the user and group of containers: no system has an account of this number, and
// Kubernetes' runAsNonRoot needs a number.
const nobody = 65532

// state is where a node keeps releases; it is a volume, as the root is read-only.
const state = "var/lib/contentedge"

// settings is the file of settings, which is the packages' too.
const settings = "etc/contentedge/edgeserve.conf"

var accounts = []tree.File{
	tree.New("etc/passwd", 0o644, []byte("root:x:0:0:root:/:/sbin/nologin\nedgeserve:x:65532:65532:edgeserve:/var/lib/contentedge:/sbin/nologin\n")),
	tree.New("etc/group", 0o644, []byte("root:x:0:\nedgeserve:x:65532:\n")),
}

func (j *job) oci() error {
	var platforms []image.Platform
	for _, p := range j.platforms {
		if p.OS != "linux" {
			continue
		}
		files, err := j.rootFiles(p)
		if err != nil {
			return err
		}
		one := image.Platform{OS: p.OS, Arch: p.Arch, Files: files}
		if p.Arch == "arm64" {
			one.Variant = "v8"
		}
		platforms = append(platforms, one)
	}
	return j.write("edgeserve-"+j.src.FileVersion()+"-oci.tar", func(f *os.File) error {
		return image.Write(f, j.image(), platforms)
	})
}

// rootFiles are the files of the image: the program and what it needs besides, which is nothing but
// directories. Time zones and certificate authorities are in the program.
func (j *job) rootFiles(p source.Platform) ([]tree.File, error) {
	program, err := j.program("edgeserve", p)
	if err != nil {
		return nil, err
	}
	page, err := j.licences([]string{"edgeserve"}, p)
	if err != nil {
		return nil, err
	}
	defaults, err := j.text("systemd/edgeserve.conf")
	if err != nil {
		return nil, err
	}
	return append([]tree.File{
		tree.New("usr/bin/edgeserve", 0o755, program),
		tree.New("usr/share/doc/edgeserve/"+licencesFile, 0o644, page),
		tree.New(settings, 0o644, defaults),
		{Path: state, Mode: fs.ModeDir | 0o750, Owner: nobody},
		{Path: "tmp", Mode: fs.ModeDir | fs.ModeSticky | 0o777},
	}, accounts...), nil
}

func (j *job) image() image.Image {
	labels := map[string]string{
		"org.opencontainers.image.title":       "edgeserve",
		"org.opencontainers.image.description": "contentedge's edge server: REST lists and items, and searches, of a release",
		"org.opencontainers.image.version":     j.src.FileVersion(),
		"org.opencontainers.image.created":     j.src.Time.Format(time.RFC3339),
	}
	if j.src.Revision != "" {
		labels["org.opencontainers.image.revision"] = j.src.Revision
	}
	return image.Image{
		Name: "contentedge/edgeserve", Tag: j.src.FileVersion(), Created: j.src.Time, Labels: labels,
		Config: image.Config{
			User:       "65532:65532",
			Entrypoint: []string{"/usr/bin/edgeserve"},
			// Defaults are in a file, the last of all places: another file, variables and flags replace
			// them. The admin listener has no passwords: who probes it from outside of the container
			// opens it.
			Env:          []string{"PATH=/usr/bin", "CONTENTEDGE_CONFIG=/" + settings},
			ExposedPorts: map[string]struct{}{"8080/tcp": {}},
			Volumes:      map[string]struct{}{"/" + state: {}},
			WorkingDir:   "/" + state,
			StopSignal:   "SIGTERM",
			Healthcheck: &image.Healthcheck{
				Test:     []string{"CMD", "/usr/bin/edgeserve", "health"},
				Interval: 10 * time.Second, Timeout: 5 * time.Second, StartPeriod: time.Minute, Retries: 3,
			},
		},
	}
}
