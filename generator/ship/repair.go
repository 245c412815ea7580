// This file finds missing files of a release in a store, and repairs the current one.

package ship

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"

	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
	"contentedge/generator/checksums"
)

// ErrNotWhole: the store lacks files of the current release.
var ErrNotWhole = errors.New("the current release is not whole in the store")

func notWhole(s *store.Store, build string, lacking int, first string) error {
	return fmt.Errorf("%w: release %s lacks %d files, %s the first; run generator releases repair %s --public DIR, with that release's public directory",
		ErrNotWhole, build, lacking, first, s)
}

// unverified wraps an error of a check after the pointer has moved.
func unverified(s *store.Store, build string, err error) error {
	return fmt.Errorf("release %s is current, but nothing proves that it is whole; run generator releases repair %s: %w", build, s, err)
}

// contents lists a release's files in the store. lacking names a damaged manifest or list.
func contents(ctx context.Context, s *store.Store, build string) (files []file, lacking string, err error) {
	m, _, _, err := manifest(ctx, s, build)
	if isDamaged(err) {
		return nil, release.ManifestName, nil
	}
	if err != nil {
		return nil, "", err
	}
	list, err := remoteList(ctx, s, m)
	if err != nil {
		return nil, "", err
	}
	if list != nil {
		files, err = readFiles(list)
	}
	if list == nil || err != nil {
		return nil, release.ChecksumsName, nil
	}
	return files, "", nil
}

// missingFiles returns the files of a release that the store does not have.
func missingFiles(ctx context.Context, s *store.Store, build string) ([]string, error) {
	files, damaged, err := contents(ctx, s, build)
	if err != nil {
		return nil, err
	}
	if damaged != "" {
		return []string{damaged}, nil
	}
	there, err := sizes(ctx, s, build)
	if err != nil {
		return nil, err
	}
	var lacks []string
	for _, f := range files {
		if _, ok := there[f.name]; !ok {
			lacks = append(lacks, f.name)
		}
	}
	return lacks, nil
}

func sizes(ctx context.Context, s *store.Store, build string) (map[string]int64, error) {
	return again(ctx, func() (map[string]int64, error) {
		there := map[string]int64{}
		for info, err := range s.List(ctx, root(build)) {
			if err != nil {
				return nil, err
			}
			there[info.Key[len(root(build)):]] = info.Bytes
		}
		return there, nil
	})
}

const maxResends = 3

// verifyCurrent checks that the store has the whole release, which became current, and sends
// missing files again, unless another release is current by now. record says who built the release.
func verifyCurrent(ctx context.Context, c PublishConfig, l *local, r *Report, record []byte) error {
	build := l.Manifest.Build
	for round := 0; ; round++ {
		p, err := l.planMissing(ctx, c.Store)
		if err == nil {
			err = restoreRecord(ctx, c.Store, build, record)
		}
		switch {
		case err != nil:
			return unverified(c.Store, build, err)
		case len(p.work) == 0 && p.complete:
			return nil
		case round == maxResends && len(p.work) > 0:
			return notWhole(c.Store, build, 1, p.work[0].name)
		case round == maxResends:
			return notWhole(c.Store, build, 1, release.ManifestName)
		}
		wanted, err := isWanted(ctx, c.Store, build)
		if err == nil && !wanted {
			return nil
		}
		if err == nil {
			r.Resent += len(p.work)
			err = send(ctx, c, p, new(Report))
		}
		if err != nil {
			return unverified(c.Store, build, err)
		}
	}
}

func (l *local) planMissing(ctx context.Context, s *store.Store) (*plan, error) {
	there, err := sizes(ctx, s, l.Manifest.Build)
	if err != nil {
		return nil, err
	}
	p := &plan{local: l, complete: there[release.ManifestName] == int64(len(l.Raw))}
	for _, f := range l.files {
		if n, ok := there[f.name]; !ok || n != f.bytes {
			p.work = append(p.work, work{file: f})
		}
	}
	return p, nil
}

// Repaired counts the files of a repair.
type Repaired struct {
	Build string `json:"build"`
	Files int    `json:"files"` // that the release has
	Sent  int    `json:"sent"`  // files from the public directory or other releases; a dry run only counts them
}

// Repair completes the current release in a store, from a public directory that holds it, or else from
// the other releases in the store. Without a directory it reads every object. If it cannot repair a
// file, the error wraps ErrNotWhole. A dry run reads the same and writes nothing.
func Repair(ctx context.Context, c PublishConfig) (*Repaired, error) {
	c.Jobs = cmp.Or(c.Jobs, DefaultJobs)
	p, err := readPointer(ctx, c.Store, release.PointerName)
	if err != nil {
		return nil, err
	}
	if p.Pointer == nil {
		return nil, fmt.Errorf("%w: no release is current", ErrNoRelease)
	}
	a := new(announced)
	if !c.DryRun {
		if a, err = announce(ctx, c, p.Build, false, announcement{}); err != nil {
			return nil, err
		}
		defer a.end()
	}
	switch {
	case c.Public != "":
		return repairFrom(ctx, c, p, a.lease)
	case p.Kind == release.KindNodes:
		return repairNodes(ctx, c, p.Pointer)
	case p.Kind == release.KindInPlace:
		return repairLive(ctx, c, p.Pointer)
	}
	return repairInside(ctx, c, p.Pointer)
}

func repairFrom(ctx context.Context, c PublishConfig, p *pointerObject, lease string) (*Repaired, error) {
	l, err := openLocal(c.Public)
	if err != nil {
		return nil, err
	}
	defer l.close()
	if l.Manifest.Build != p.Build || release.HexSHA256(l.Raw) != p.ManifestSHA256 {
		return nil, fmt.Errorf("%s holds release %s, but %s is current: name the public directory of that one, or publish this one", c.Public, l.Manifest.Build, p.Build)
	}
	switch p.Kind {
	case release.KindNodes:
		return repairNodesFrom(ctx, c, p.Pointer, l, lease)
	case release.KindInPlace:
		return repairLiveFrom(ctx, c, p, l)
	}
	if err := l.read(ctx, c.Jobs); err != nil {
		return nil, err
	}
	plan, err := compare(ctx, &c, l, nil)
	if err != nil {
		return nil, err
	}
	r := &Repaired{Build: p.Build, Files: len(l.files) + 1, Sent: len(plan.work)}
	if !plan.complete {
		r.Sent++
	}
	if c.DryRun {
		return r, nil
	}
	if err := send(ctx, c, plan, plan.report()); err != nil {
		return nil, err
	}
	return r, verifyCurrent(ctx, c, l, new(Report), recordFor(c, l, p.Pointer))
}

// recordFor returns the record of who built the current release, if a publication left it next to the release.
func recordFor(c PublishConfig, l *local, p *release.Pointer) []byte {
	record := leftRecord(l, p)
	if p.AttestationBytes > 0 && record == nil && c.Warn != nil {
		c.Warn(fmt.Sprintf("%s does not have the record of who built release %s", l.Dir, p.Build))
	}
	return record
}

func repairInside(ctx context.Context, c PublishConfig, p *release.Pointer) (*Repaired, error) {
	files, damaged, err := contents(ctx, c.Store, p.Build)
	if err != nil {
		return nil, err
	}
	if damaged != "" {
		return nil, notWhole(c.Store, p.Build, 1, damaged)
	}
	return repairFiles(ctx, c, p, files, &Repaired{Build: p.Build, Files: len(files) + 2})
}

// repairFiles replaces files of the current release, whose digests are known, by copies from other releases.
func repairFiles(ctx context.Context, c PublishConfig, p *release.Pointer, files []file, r *Repaired) (*Repaired, error) {
	wrong, err := findDamaged(ctx, c, p.Kind, p.Build, files)
	if err != nil {
		return nil, err
	}
	left, err := copyFromOthers(ctx, c, p, wrong)
	if err == nil && len(left) > 0 {
		err = notWhole(c.Store, p.Build, len(left), left[0].name)
	}
	r.Sent = len(wrong) - len(left)
	return r, err
}

func findDamaged(ctx context.Context, c PublishConfig, kind release.StoreKind, build string, files []file) ([]file, error) {
	return filter(ctx, c.Jobs, files, func(f file) (bool, error) {
		ok, err := hasSum(ctx, c.Store, kind.ObjectKey(build, f.name), f.sum)
		return !ok, err
	})
}

// filter returns the files that keep accepts, in their order. It runs jobs calls of keep at a time.
func filter(ctx context.Context, jobs int, files []file, keep func(file) (bool, error)) (kept []file, err error) {
	keeps := make([]bool, len(files))
	err = each(ctx, jobs, len(files), func(i int) (err error) {
		keeps[i], err = keep(files[i])
		return err
	})
	for i, f := range files {
		if keeps[i] {
			kept = append(kept, f)
		}
	}
	return kept, err
}

func hasSum(ctx context.Context, s *store.Store, key string, want checksums.Sum) (bool, error) {
	_, ok, err := sumOf(ctx, s, key, want)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return ok, err
}

// sumOf reads an object, and reports whether it has a sum.
func sumOf(ctx context.Context, s *store.Store, key string, want checksums.Sum) (info store.Info, ok bool, err error) {
	ok, err = again(ctx, func() (bool, error) {
		obj, err := s.Get(ctx, key, store.GetOptions{Max: store.MaxObject})
		if err != nil {
			return false, err
		}
		defer func() { _ = obj.Close() }()
		info = obj.Info
		h := sha256.New()
		_, err = io.Copy(h, obj)
		return checksums.Sum(h.Sum(nil)) == want, err
	})
	return info, ok, err
}

// copyFromOthers copies files from any other release that has them, and returns the files that no release has. A dry
// run only looks for the files.
func copyFromOthers(ctx context.Context, c PublishConfig, p *release.Pointer, wrong []file) ([]file, error) {
	if len(wrong) == 0 {
		return nil, nil
	}
	releases, err := List(ctx, c.Store)
	for _, r := range releases {
		if err != nil || len(wrong) == 0 {
			break
		}
		if r.Build == p.Build && p.Kind == release.KindComplete || r.Sent.IsZero() {
			continue
		}
		wrong, err = copyFrom(ctx, c, r.Build, p, wrong)
	}
	return wrong, err
}

// copyFrom copies files from a complete release.
func copyFrom(ctx context.Context, c PublishConfig, from string, p *release.Pointer, wrong []file) ([]file, error) {
	has, _, err := contents(ctx, c.Store, from)
	if err != nil {
		return wrong, err
	}
	return filter(ctx, c.Jobs, wrong, func(f file) (lacks bool, err error) {
		at, found := search(has, f.name)
		if !found || has[at].sum != f.sum {
			return true, nil
		}
		if c.DryRun {
			ok, err := hasSum(ctx, c.Store, root(from)+f.name, f.sum)
			return !ok, err
		}
		ok, key := false, p.Kind.ObjectKey(p.Build, f.name)
		if _, err = copyFile(ctx, c.Store, root(from)+f.name, key); err == nil {
			ok, err = hasSum(ctx, c.Store, key, f.sum)
		}
		if errors.Is(err, store.ErrNotFound) {
			err = nil
		}
		return !ok, err
	})
}
