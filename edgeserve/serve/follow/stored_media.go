// This file knows where a store has the media of a release, and their list. In a store for nodes each environment has a
// list of its own, which releases share: a node fetches only the changed ones.
//
//	DIR/releases/BUILD/store-kind  the kind of the store, if it is not KindComplete

package follow

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"contentedge/edgeserve/engine/parallel"
	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
)

const kindName = "store-kind"

// listBatch is how many lists of media are in memory.
const listBatch = 64

// kind is the kind that the store had when a release arrived, or was current last.
func (d directory) kind(build string) release.StoreKind {
	b, err := os.ReadFile(d.path(release.ReleasesDir, build, kindName))
	if kind := release.StoreKind(b); err == nil && kind.Known() {
		return kind
	}
	return release.KindComplete
}

// setKind notes the kind of the store of a release that this machine has.
func (d directory) setKind(build string, kind release.StoreKind) error {
	if d.kind(build) == kind {
		return nil
	}
	of := directory(d.path(release.ReleasesDir, build))
	if kind == release.KindComplete {
		return os.Remove(of.path(kindName))
	}
	return of.write(kindName, []byte(kind))
}

// mediaKeys are the keys that a file may have in the store, for the releases that may have it.
func (d directory) mediaKeys(builds []string, name string) (keys []string) {
	for _, build := range builds {
		if key := d.kind(build).ObjectKey(build, release.MediaDir+"/"+name); !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// mediaList is the list of the media of an environment.
type mediaList struct {
	release.MediaList
	env  string
	text []byte
}

// listsOf returns the lists of the media of a release, in the order of the names of their files.
func listsOf(m *release.Manifest) (all []mediaList, err error) {
	for i := range m.Environments {
		e := &m.Environments[i]
		list, ok := e.MediaList()
		if !ok && e.Media.Files > 0 {
			return nil, fmt.Errorf("%w: the manifest does not verify the list of the media of environment %s", ErrContent, e.ID)
		}
		if ok {
			all = append(all, mediaList{MediaList: list, env: e.ID})
		}
	}
	slices.SortFunc(all, func(a, b mediaList) int { return cmp.Compare(a.env+"/", b.env+"/") })
	return all, nil
}

// copyLists writes the lists of the media of a release. It takes the unchanged ones from before, the lists of another
// release.
func (f *Follower) copyLists(ctx context.Context, m *release.Manifest, before io.Reader, to io.Writer) error {
	all, err := listsOf(m)
	if err != nil {
		return err
	}
	old := &mediaGroups{in: bufio.NewReader(before)}
	for some := range slices.Chunk(all, listBatch) {
		for i := range some {
			if some[i].text, err = old.find(some[i].env, some[i].MaxBytes); err != nil {
				return err
			}
		}
		err := parallel.Each(ctx, mediaJobs, len(some), func(_, i int) error { return f.fetchList(ctx, &some[i]) })
		if err != nil {
			return err
		}
		for i := range some {
			if _, err := to.Write(some[i].text); err != nil {
				return err
			}
			some[i].text = nil
		}
	}
	return nil
}

// fetchList fetches a list, unless its text is known.
func (f *Follower) fetchList(ctx context.Context, l *mediaList) (err error) {
	if release.HexSHA256(l.text) == l.SHA256 {
		return nil
	}
	l.text, _, err = f.cfg.Store.ReadAll(ctx, l.Name, store.GetOptions{Max: l.MaxBytes})
	if err == nil && release.HexSHA256(l.text) != l.SHA256 {
		err = fmt.Errorf("%w: %s does not match the manifest", ErrContent, l.Name)
	}
	return err
}

// mediaGroups reads lines of media environment by environment.
type mediaGroups struct {
	in   *bufio.Reader
	line []byte // the first one of the next environment
	env  string
}

// find returns the lines of an environment, of at most max bytes; nil without lines. The caller asks for environments
// in the order of the lines.
func (g *mediaGroups) find(env string, max int64) (lines []byte, err error) {
	for {
		if len(g.line) == 0 {
			if g.line, err = g.in.ReadBytes('\n'); err != nil {
				return lines, ignoreEOF(err)
			}
			_, name, _ := strings.Cut(string(g.line), "  "+release.MediaDir+"/")
			g.env, _, _ = strings.Cut(name, "/")
		}
		switch order := cmp.Compare(g.env+"/", env+"/"); {
		case order > 0 || int64(len(lines)) > max:
			return lines, nil
		case order == 0:
			lines = append(lines, g.line...)
		}
		g.line = nil
	}
}

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// before opens the lists of media of another release on this machine; or an empty list.
func (l *mediaLists) before(build string) (io.ReadCloser, error) {
	for _, other := range l.f.dir.linked() {
		if other == build {
			continue
		}
		file, err := os.Open(l.f.dir.path(release.ReleasesDir, other, mediaListName))
		if !errors.Is(err, fs.ErrNotExist) {
			return file, err
		}
	}
	return io.NopCloser(bytes.NewReader(nil)), nil
}
