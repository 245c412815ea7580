// Package verify checks a release only by its files: the manifest's build id, the snapshots' checksums, the digest of
// every file, precompressed files, item files against their fragments, pages against searches of the snapshot, and that
// no other file exists. A build makes pages without searching, so a page that equals the result of its search proves
// both right.
package verify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"contentedge/edgeserve/engine/parallel"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator/checksums"
)

// Report counts verified files and lists problems.
type Report struct {
	Build                             string
	Environments, Items, Lists, Pages int
	Searches                          int
	Files                             int   // on the disk: all files of the release, manifest included
	Bytes                             int64 // of all files
	Problems                          []string
	Links                             []string // what is wrong with the links to the release
	Warnings                          []string // about modes and times, which a copy may lose
}

// Dir verifies the release that a directory holds or points to. Faults of the release are in
// the report's Problems. The error is the system's or the context's.
func Dir(ctx context.Context, dir string) (*Report, error) { return Changed(ctx, dir, nil) }

// Changed is Dir without the environments that another release has with equal parts: what was verified when that one
// was published need not be read again. Nil: it verifies all.
func Changed(ctx context.Context, dir string, published *release.Manifest) (*Report, error) {
	manifest, err := checksums.Manifest(dir)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(filepath.Dir(manifest))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	v := &verifier{ctx: ctx, root: root, dir: filepath.Dir(manifest), r: &Report{}, envs: map[string]*environment{}, published: published, trusted: map[string]bool{}, seed: maphash.MakeSeed(), listed: map[uint64]bool{}, faulty: map[string]bool{}}
	defer v.close()
	before, err := root.Stat(release.ManifestName)
	if err != nil {
		return nil, err
	}
	v.mode = before.Mode()
	v.links(dir)
	if err := v.run(); err != nil {
		return nil, err
	}
	v.warn()
	// Meanwhile a build may have replaced the release in the directory.
	if after, err := root.Stat(release.ManifestName); err != nil || !os.SameFile(before, after) || !after.ModTime().Equal(before.ModTime()) {
		return nil, fmt.Errorf("%s was removed while it was verified: begin again", v.dir)
	}
	slices.Sort(v.r.Problems)
	return v.r, context.Cause(ctx)
}

type verifier struct {
	ctx  context.Context
	root *os.Root // the release
	dir  string   // its path, to map snapshots, which a Root cannot do
	m    *release.Manifest
	envs map[string]*environment

	published *release.Manifest // of which equal environments are not verified; nil: all are
	trusted   map[string]bool   // these environments

	opened *environment // that has its snapshot open: one at a time has

	seed   maphash.Seed
	listed map[uint64]bool // the names that the list of checksums has, hashed
	body   checksums.Sum   // of the last file of the list that is not precompressed
	mode   fs.FileMode     // of the manifest

	mu     sync.Mutex
	r      *Report         // guarded by mu while workers run
	faulty map[string]bool // names in r; guarded by mu
	modes  oddFiles        // guarded by mu
	times  oddFiles        // guarded by mu
}

func (v *verifier) close() {
	if v.opened != nil {
		v.opened.suspend()
	}
}

func (v *verifier) problem(name, format string, args ...any) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.faulty[name] = true
	v.r.Problems = append(v.r.Problems, name+": "+fmt.Sprintf(format, args...))
}

func (v *verifier) count(bytes int64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.r.Files++
	v.r.Bytes += bytes
}

func (v *verifier) reported(name string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.faulty[name]
}

// run verifies everything. Without its snapshot, an environment's files are not compared.
// run returns an error if another program made the release: that is not a fault of the release.
func (v *verifier) run() error {
	b, err := v.root.ReadFile(release.ManifestName)
	if err == nil {
		v.m, err = release.Read(b, nil, func(p release.PartFile) ([]byte, error) { return v.root.ReadFile(p.Name) })
	}
	if errors.Is(err, release.ErrFormat) {
		return fmt.Errorf("%s: %w", filepath.Join(v.dir, release.ManifestName), err)
	}
	if err != nil {
		v.problem(release.ManifestName, "%v", err)
		return nil
	}
	v.r.Build = v.m.Build
	v.count(int64(len(b)))
	whole := true
	for i := range v.m.Environments {
		if v.trust(&v.m.Environments[i]) {
			continue
		}
		e := v.open(&v.m.Environments[i])
		if e == nil {
			whole = false
			continue
		}
		v.envs[e.m.ID] = e
		e.documentOrder()
		e.dateOrders()
		e.fields()
		e.items()
		e.lists()
		e.searches()
		e.count()
		e.suspend()
	}
	v.totals()
	if v.checksums() && whole {
		for _, e := range v.envs {
			e.countMedia()
		}
		v.unexpected()
	}
	return nil
}

// trust reports whether an environment need not be verified.
func (v *verifier) trust(e *release.Environment) bool {
	before := v.published.Environment(e.ID)
	v.trusted[e.ID] = before != nil && before.Part() == e.Part()
	return v.trusted[e.ID]
}

// trusts reports whether a file, or a directory with a slash at its end, belongs to an environment that is not verified.
func (v *verifier) trusts(name string) bool {
	if v.published == nil {
		return false
	}
	for _, dir := range []string{address.EnvDir(""), release.MediaDir + "/"} {
		if rest, ok := strings.CutPrefix(name, dir); ok {
			env, _, _ := strings.Cut(rest, "/")
			return v.trusted[env]
		}
	}
	return v.trusted[release.EnvironmentOf(name)]
}

func (v *verifier) totals() {
	var files int
	var size int64
	for _, e := range v.m.Environments {
		files += e.Files
		size += e.Bytes
	}
	v.r.Environments = len(v.m.Environments)
	if files != v.m.Files || size != v.m.Bytes {
		v.problem(release.ManifestName, "counts %d files and %d bytes, its environments add up to %d and %d", v.m.Files, v.m.Bytes, files, size)
	}
}

func (v *verifier) compare(name string, want []byte, source string) {
	got, err := v.root.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		v.problem(name, "the file is missing")
	case err != nil:
		v.problem(name, "%v", err)
	case !bytes.Equal(got, want):
		v.problem(name, "differs from %s at byte %d (%d bytes, expected %d)", source, difference(got, want), len(got), len(want))
	}
}

func difference(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// parallel calls do for 0 to n-1 in several goroutines until the context ends.
func (v *verifier) parallel(n int, do func(b *buffers, i int)) {
	workers := make([]buffers, runtime.GOMAXPROCS(0))
	_ = parallel.Each(v.ctx, len(workers), n, func(worker, i int) error { // Dir reports the context's end
		do(&workers[worker], i)
		return nil
	})
}

// buffers are reused for every file.
type buffers struct {
	body      []byte
	fragments [][]byte
}
