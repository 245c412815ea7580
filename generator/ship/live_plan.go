// This file finds what a publication in place changes. Usually it compares the list of checksums of the current release
// with the new one. After a publication that stopped, and in a store of another kind, it compares a listing.

package ship

import (
	"cmp"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/contentcoding"
	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
	"contentedge/generator/checksums"
)

// fromList finds the changes by the list of the current release, whose manifest is old, and refuses files that another
// program changed.
func (p *live) fromList(ctx context.Context, old *release.Manifest) ([]change, error) {
	before := p.localBefore()
	if before == nil {
		text, etag, err := remoteListText(ctx, p.Store, release.KindInPlace, old)
		if err != nil {
			return nil, err
		}
		if text == nil {
			return nil, p.foreign(release.ChecksumsName)
		}
		p.etags[release.ChecksumsName] = etag
		if before, err = checksums.InMemory(nil, old, text); err != nil {
			return nil, err
		}
	}
	p.lists[old.Build] = before // closed with the others
	all, err := differences(before.Lines(), p.local.Lines())
	if err != nil {
		return nil, fmt.Errorf("the list of checksums of release %s: %w", old.Build, err)
	}
	was, is := topSums(p.before.ManifestSHA256, old.Checksums.SHA256), topSums(release.HexSHA256(p.local.Raw), p.local.Manifest.Checksums.SHA256)
	for i, name := range topNames {
		if was[i] != is[i] {
			all = append(all, change{name: name, old: was[i], new: is[i]})
		}
	}
	return p.checkForeign(ctx, before.Dir, p.retire(all))
}

// topNames are the files that no list of checksums names, in their order.
var topNames = [...]string{release.ChecksumsName, release.ManifestName}

// topSums are the sums of topNames, of which the first is in the manifest.
func topSums(manifest, list string) (sums [2]checksums.Sum) {
	for i, text := range [...]string{list, manifest} {
		_, _ = hex.Decode(sums[i][:], []byte(text)) // of a manifest and a pointer that were validated
	}
	return sums
}

// localBefore opens the list of the release that is current in the store, if a build has left it in the public
// directory. It is nil otherwise.
func (p *live) localBefore() *checksums.List {
	for _, dir := range []string{filepath.Join(p.Public, release.ReleasesDir), filepath.Dir(p.local.Dir)} {
		l, err := checksums.Open(filepath.Join(dir, p.before.Build))
		if err != nil {
			continue
		}
		if release.HexSHA256(l.Raw) == p.before.ManifestSHA256 {
			return l
		}
		l.Close()
	}
	return nil
}

// retire leaves out the removals of files that are named by their content, and adds the removals that the previous
// release left out. So the media and snapshots that caches and nodes have just read about stay for one publication
// longer.
func (p *live) retire(all []change) (changes []change) {
	size := 0
	for _, c := range all {
		if c.removed() && isContentNamed(c.name) && size < maxRetired {
			p.retired = append(p.retired, c.name)
			size += len(c.name) + len(`"",`)
		} else {
			changes = append(changes, c)
		}
	}
	for _, name := range p.state.Retired {
		if _, ok := p.local.find(name); !ok && !slices.Contains(p.retired, name) {
			changes = append(changes, change{name: name, old: unknownSum})
		}
	}
	return changes
}

// maxRetired bounds the names in the lease's object, in bytes: the names of the snapshots of 5,000 environments fit.
const maxRetired = maxLease / 2

// unknownSum stands for the sum of an existing file with unknown content.
var unknownSum = checksums.Sum{1}

// checkForeign finds the ETags of the files that are replaced or removed, and refuses files that do not have the bytes
// of the current release. dir has that release, or is empty. It also finds which files that are named by their content
// exist already.
func (p *live) checkForeign(ctx context.Context, dir string, changes []change) ([]change, error) {
	there := make([]bool, len(changes))
	err := each(ctx, p.Jobs, len(changes), func(i int) (err error) {
		there[i], err = p.check(ctx, dir, &changes[i])
		return err
	})
	var left []change
	for i, c := range changes {
		if !there[i] {
			left = append(left, c)
		}
	}
	return left, err
}

// check is checkForeign for one file. It reports whether the file needs no change.
func (p *live) check(ctx context.Context, dir string, c *change) (done bool, err error) {
	if isContentNamed(c.name) {
		if !c.added() || !slices.Contains(p.state.Retired, c.name) {
			return false, nil
		}
		_, there, err := p.observe(ctx, c.name, c.new)
		return there, err
	}
	p.mu.Lock()
	known := p.etags[c.name] != ""
	p.mu.Unlock()
	if c.added() || known {
		return false, nil
	}
	etag, is, err := p.observeOld(ctx, dir, c)
	switch {
	case err != nil:
		return false, err
	case etag == "" && c.removed():
		return true, nil
	case !is:
		return false, p.foreign(c.name)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.etags[c.name] = etag
	return false, nil
}

// observeOld is observe for the bytes of the current release.
func (p *live) observeOld(ctx context.Context, dir string, c *change) (etag string, is bool, err error) {
	if dir == "" {
		return p.read(ctx, c.name, c.old)
	}
	return p.compare(ctx, c.name, c.old, func() (string, error) { return md5Of(filepath.Join(dir, filepath.FromSlash(c.name)), c.old) })
}

// observe returns the ETag of a file in the store, or "", and whether it has the bytes of the release, whose sum is
// given.
func (p *live) observe(ctx context.Context, name string, sum checksums.Sum) (etag string, is bool, err error) {
	return p.compare(ctx, name, sum, func() (string, error) { return p.md5Of(name) })
}

// compare compares the ETag with an MD5, and the bytes where they differ: not every ETag is an MD5.
func (p *live) compare(ctx context.Context, name string, sum checksums.Sum, md5 func() (string, error)) (string, bool, error) {
	want, err := md5()
	if err != nil || want == "" {
		return p.read(ctx, name, sum)
	}
	info, err := again(ctx, func() (store.Info, error) { return p.Store.Stat(ctx, release.LiveKey(name)) })
	if errors.Is(err, store.ErrNotFound) {
		return "", false, nil
	}
	if err == nil && info.MD5() == want {
		etag, err := info.Condition()
		return etag, true, err
	}
	if err != nil {
		return "", false, err
	}
	return p.read(ctx, name, sum)
}

// read reads a file, and reports whether it has a sum.
func (p *live) read(ctx context.Context, name string, sum checksums.Sum) (etag string, is bool, err error) {
	info, is, err := sumOf(ctx, p.Store, release.LiveKey(name), sum)
	if errors.Is(err, store.ErrNotFound) {
		return "", false, nil
	}
	if err == nil {
		etag, err = info.Condition()
	}
	return etag, is, err
}

// md5Of returns the MD5 of a file that has a sum, or "" if the file has another sum.
func md5Of(path string, want checksums.Sum) (string, error) {
	in, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = in.Close() }()
	sum, digest := sha256.New(), md5.New()
	if _, err = io.Copy(io.MultiWriter(sum, digest), in); err != nil || checksums.Sum(sum.Sum(nil)) != want {
		return "", err
	}
	return hex.EncodeToString(digest.Sum(nil)), nil
}

// md5Of returns the MD5 of a file of the release, or "" if the release lacks the file.
func (p *live) md5Of(name string) (string, error) {
	if name == release.ManifestName {
		sum := md5.Sum(p.local.Raw)
		return hex.EncodeToString(sum[:]), nil
	}
	i, ok := p.local.find(name)
	if !ok {
		return "", nil
	}
	return p.local.md5(&p.local.files[i])
}

// fromListing finds the changes by a listing of the existing files, whoever wrote them.
func (p *live) fromListing(ctx context.Context) ([]change, error) {
	there, err := listLive(ctx, p.Store)
	if err != nil {
		return nil, err
	}
	named, err := p.namedBefore(ctx, len(there) > 0)
	if err != nil {
		return nil, err
	}
	files := append(slices.Clone(p.local.files), file{release.ManifestName, int64(len(p.local.Raw)), topSums(release.HexSHA256(p.local.Raw), "")[1]})
	differs := make([]bool, len(files))
	err = each(ctx, p.Jobs, len(files), func(i int) error {
		info, ok := there[files[i].name]
		if !ok || info.Bytes != files[i].bytes {
			differs[i] = true
			return nil
		}
		sum, err := p.md5Of(files[i].name)
		differs[i] = sum != info.MD5()
		return err
	})
	if err != nil {
		return nil, err
	}
	var all []change
	for i, f := range files {
		if info, ok := there[f.name]; ok {
			delete(there, f.name)
			if differs[i] {
				p.etags[f.name] = info.ETag
				all = append(all, change{name: f.name, old: unknownSum, new: f.sum, left: !named[f.name]})
			}
		} else {
			all = append(all, change{name: f.name, new: f.sum})
		}
	}
	return p.retire(append(all, p.unexpected(there)...)), nil
}

// listLive lists what is below release.LiveDir, by the names of the files.
func listLive(ctx context.Context, s *store.Store) (map[string]store.Info, error) {
	prefix := release.LiveKey("")
	return again(ctx, func() (map[string]store.Info, error) {
		there := map[string]store.Info{}
		for info, err := range s.List(ctx, prefix) {
			if err != nil {
				return nil, err
			}
			there[info.Key[len(prefix):]] = info
		}
		return there, nil
	})
}

// namedBefore returns the names in the list of checksums of the current release, and the list and the manifest. If the
// list cannot be read, it returns nothing: that changes only the order.
func (p *live) namedBefore(ctx context.Context, any bool) (map[string]bool, error) {
	named := map[string]bool{release.ChecksumsName: true, release.ManifestName: true}
	if !any {
		return named, nil
	}
	text, _, err := get(ctx, p.Store, release.LiveKey(release.ChecksumsName), maxList)
	if errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrTooLarge) {
		return named, nil
	}
	if err != nil {
		return nil, err
	}
	for lines := checksums.NewReader(strings.NewReader(string(text))); lines.Next(); {
		named[string(lines.Name())] = true
	}
	return named, nil
}

// unexpected are removals of the files that the release does not have. Files that no release can have stay.
func (p *live) unexpected(there map[string]store.Info) (changes []change) {
	strange := ""
	for name := range there {
		body, _ := contentcoding.OfFile(name)
		route, known := address.ParsePath("/" + body)
		switch {
		case known && route.Env != "", isContentNamed(name):
			changes = append(changes, change{name: name, old: unknownSum})
		case !release.IsLeft(name):
			strange = cmp.Or(strange, name)
		}
	}
	if strange != "" {
		p.warn("%s/%s holds files of no release, %s for one; they stay", p.Store, release.LiveDir, strange)
	}
	slices.SortFunc(changes, func(a, b change) int { return cmp.Compare(a.name, b.name) })
	return changes
}
