// This file lets a node with a trust file send only media that a signed release names. A media file is verified by its
// name, but a writer of the store could add a file with a right name. The release's list of checksums names its media,
// in the first lines and in the byte order of their names, and the manifest has its digest.
//
//	DIR/releases/BUILD/media.sha256  these lines, once the whole list was verified

package follow

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"contentedge/edgeserve/wire/release"
)

const (
	mediaListName = "media.sha256"
	// maxMediaLine limits a line of the list, in bytes: a digest and the path of a media file.
	maxMediaLine = 2 << 10
)

// errNoList: it cannot be verified whether a release names a media file.
var errNoList = errors.New("the media of the release are not known")

// mediaLists has the lists of the releases that may be served.
type mediaLists struct {
	f *Follower

	mu     sync.Mutex // held while a list is fetched
	failed map[string]refusal
}

// names reports whether a release names a media file. It fetches the list of the release, if need be.
func (l *mediaLists) names(ctx context.Context, r trusted, name string) (bool, error) {
	dir := l.f.dir.path(release.ReleasesDir, r.build)
	if err := l.ensure(ctx, r, l.f.dir.kind(r.build), dir); err != nil {
		return false, err
	}
	file, err := os.Open(filepath.Join(dir, mediaListName))
	if err != nil {
		return false, err
	}
	defer func() { _ = file.Close() }()
	return findMedia(file, name)
}

// ensure fetches the list of a release, from a store of a kind, into its directory, unless the directory has it.
func (l *mediaLists) ensure(ctx context.Context, r trusted, kind release.StoreKind, dir string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, err := os.Stat(filepath.Join(dir, mediaListName)); err == nil {
		return nil
	}
	if failed, ok := l.failed[r.build]; ok && time.Now().Before(failed.until) {
		return failed.err
	}
	err := l.fetch(ctx, r, kind, dir)
	if err != nil {
		l.f.log.Warn("the media of a release cannot be verified", "build", r.build, "error", err)
		err = fmt.Errorf("%w: %w", errNoList, err)
		l.failed = map[string]refusal{r.build: {err, time.Now().Add(refusedFor)}}
	}
	return err
}

// fetch fetches the list of a release. Its manifest is in the directory.
func (l *mediaLists) fetch(ctx context.Context, r trusted, kind release.StoreKind, dir string) error {
	raw, err := readManifest(dir)
	if err != nil {
		return err
	}
	if r.manifestSHA256 != "" && release.HexSHA256(raw) != r.manifestSHA256 {
		return fmt.Errorf("%w: the manifest on this machine", ErrContent)
	}
	m, err := parseManifest(dir, raw)
	if err != nil {
		return err
	}
	temp := filepath.Join(dir, release.TempPrefix+mediaListName)
	if err := os.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file, err := create(temp)
	if err != nil {
		return err
	}
	err = l.copy(ctx, r.build, kind, m, file)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return os.Rename(temp, filepath.Join(dir, mediaListName))
}

// copy copies the lines of media and verifies them: the lists of each environment in a store for nodes, otherwise the
// whole list. A release without media needs no list.
func (l *mediaLists) copy(ctx context.Context, build string, kind release.StoreKind, m *release.Manifest, to io.Writer) error {
	lines := &mediaLines{to: to, left: countMedia(m).Files}
	if lines.left == 0 {
		return nil
	}
	if kind == release.KindNodes {
		before, err := l.before(build)
		if err != nil {
			return err
		}
		return errors.Join(l.f.copyLists(ctx, m, before, to), before.Close())
	}
	digest := sha256.New()
	key := kind.ObjectKey(build, release.ChecksumsName)
	if _, err := l.f.transfers(ctx, key, 0, m.Checksums.Bytes, io.MultiWriter(digest, lines)); err != nil {
		return err
	}
	if hex.EncodeToString(digest.Sum(nil)) != m.Checksums.SHA256 {
		return fmt.Errorf("%w: %s does not match the manifest", ErrContent, key)
	}
	if lines.left > 0 {
		return fmt.Errorf("%w: %s names fewer media than the manifest counts", ErrContent, key)
	}
	return nil
}

func countMedia(m *release.Manifest) (all release.Media) {
	for _, e := range m.Environments {
		all.Files += e.Media.Files
		all.Bytes += e.Media.Bytes
	}
	return all
}

// mediaLines passes the first lines on that are written to it.
type mediaLines struct {
	to   io.Writer
	left int    // lines to pass on
	part []byte // of a line that has not ended
}

func (l *mediaLines) Write(b []byte) (int, error) {
	n := len(b)
	for l.left > 0 && len(b) > 0 {
		end := bytes.IndexByte(b, '\n') + 1
		if end == 0 {
			end = len(b)
		} else {
			l.left--
		}
		l.part = append(l.part, b[:end]...)
		b = b[end:]
		if len(l.part) > maxMediaLine {
			return 0, fmt.Errorf("%w: a line of the list of checksums has more than %d bytes", ErrContent, maxMediaLine)
		}
		if l.part[len(l.part)-1] == '\n' {
			if _, err := l.to.Write(l.part); err != nil {
				return 0, err
			}
			l.part = l.part[:0]
		}
	}
	return n, nil
}

// findMedia reports whether the lines of a file, which are in the byte order of their names, name a media file.
func findMedia(file *os.File, name string) (bool, error) {
	info, err := file.Stat()
	if err != nil {
		return false, err
	}
	at := sort.Search(int(info.Size()), func(at int) bool {
		line, e := lineAfter(file, int64(at))
		err = cmp.Or(err, e)
		return line == "" || line >= name
	})
	line, e := lineAfter(file, int64(at))
	return line == name, cmp.Or(err, e)
}

// lineAfter returns the name in the first line that begins at an offset or after it; "" after the last one.
func lineAfter(file io.ReaderAt, at int64) (name string, err error) {
	var buf [2 * maxMediaLine]byte
	n, err := file.ReadAt(buf[:], max(at-1, 0))
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	b := buf[:n]
	if at > 0 {
		b = b[bytes.IndexByte(b, '\n')+1:]
	}
	end := bytes.IndexByte(b, '\n')
	if end < 0 {
		return "", nil
	}
	_, path, _ := strings.Cut(string(b[:end]), "  ")
	return strings.TrimPrefix(path, release.MediaDir+"/"), nil
}

// vouched are the releases whose media may be sent, the current one first; nil without a trust file.
func (f *Follower) vouched() []trusted {
	if f.policy.Load() == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.allowed)
}
