// This file reads the mirror of the last pull, and its state.

package pull

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"contentedge/generator/source/documents"
)

// stateFormat is the version of the state's file.
const stateFormat = 1

// state saves requests of the next pull. It does not apply to a file with another digest.
type state struct {
	Format int      `json:"format"`
	URL    string   `json:"url"`
	Env    string   `json:"env"`
	Wanted []string `json:"wanted,omitempty"` // statuses; none: all
	Media  bool     `json:"media,omitempty"`  // media files are next to the mirror

	Pulled time.Time `json:"pulled"` // when it last changed
	Walked time.Time `json:"walked"` // when all items were read

	Items    int            `json:"items"`
	Bytes    int64          `json:"bytes"`
	SHA256   string         `json:"sha256"`
	Statuses map[string]int `json:"statuses"`
	LeftOut  map[string]int `json:"leftOut,omitempty"`

	Proof   Proof  `json:"proof"`
	Release string `json:"release,omitempty"` // that answered all pages of an origin that honours pins
	// Unstamped: items changed, but not their times. So an index does not show all changes.
	Unstamped bool `json:"unstamped,omitempty"`
}

// mirror is the file of the last pull.
type mirror struct {
	file    *os.File // nil before the first pull
	info    fs.FileInfo
	entries map[string]entry
	stamps  map[string]stamp // of at most maxIndex items
	media   map[string]bool  // DIGEST/NAME of the files that it names
	digest  string
	regular bool // a pull could have written these lines in this order

	state *state // nil: unknown
}

// current reports whether the state belongs to the file.
func (m *mirror) current() bool {
	return m.state != nil && m.state.SHA256 == m.digest && m.state.Items == len(m.entries)
}

func (m *mirror) close() {
	if m != nil && m.file != nil {
		_ = m.file.Close()
	}
}

// read returns the mirror. If the file is the same, it reuses the items that an earlier run read.
func (p *Puller) read(ctx context.Context) (*mirror, error) {
	path := filepath.Join(p.set.dir, FileName)
	m := &mirror{entries: map[string]entry{}, stamps: map[string]stamp{}, media: map[string]bool{}, regular: true, digest: digestOf(nil)}
	file, err := os.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	default:
		m.file = file
		if m.info, err = file.Stat(); err == nil && !m.info.Mode().IsRegular() {
			err = fmt.Errorf("%s is not a regular file: remove it, or name another folder with --as", path)
		}
		if err == nil {
			err = p.readItems(ctx, m)
		}
		if err != nil {
			m.close()
			return nil, err
		}
	}
	p.mirror.close()
	p.mirror = m
	m.state, err = p.readState()
	return m, err
}

func (p *Puller) readItems(ctx context.Context, m *mirror) error {
	if old := p.mirror; old != nil && old.file != nil && os.SameFile(old.info, m.info) && old.info.Size() == m.info.Size() && old.info.ModTime().Equal(m.info.ModTime()) {
		m.entries, m.stamps, m.media, m.digest, m.regular = old.entries, old.stamps, old.media, old.digest, old.regular
		return nil
	}
	hash, offset, last := sha256.New(), int64(0), ""
	lines := bufio.NewReaderSize(io.TeeReader(m.file, hash), 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return err
		}
		raw, whole := bytes.CutSuffix(line, []byte("\n"))
		if len(line) > 0 {
			it, fault := p.known(raw)
			m.regular = m.regular && whole && fault == nil && it.id > last
			if fault == nil {
				m.entries[it.id] = entry{offset: offset, size: int32(len(raw)), sum: sumOf(raw), inMirror: true}
				last = it.id
				p.set.noteMedia(raw, m.media)
			}
			if fault == nil && len(m.entries) <= maxIndex {
				m.stamps[it.id] = it.stamp
			}
		}
		if offset += int64(len(line)); err == io.EOF {
			m.digest = hex.EncodeToString(hash.Sum(nil))
			return nil
		}
		if len(m.entries)%checkEvery == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
}

// checkEvery is how many items are read between two looks at the context.
const checkEvery = 1024

// known reads a line of the mirror, which a person may have edited.
func (p *Puller) known(raw []byte) (item, error) {
	if len(raw) == 0 || len(raw) > documents.MaxSize {
		return item{}, errors.New("no item")
	}
	return p.reader.item(raw, "")
}

func digestOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// readState returns nil if the state is missing or cannot be used.
func (p *Puller) readState() (*state, error) {
	path := filepath.Join(p.set.dir, StateName)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s := &state{}
	if err := json.Unmarshal(text, s); err != nil || s.Format != stateFormat {
		p.warn("%s cannot be read, so all items are requested", path)
		return nil, nil
	}
	if s.URL != p.set.URL || s.Env != p.set.Env {
		return nil, &UsageError{"URL", fmt.Sprintf("%s mirrors %s of %s, not %s of %s", p.set.dir, s.Env, s.URL, p.set.Env, p.set.URL),
			"name another folder with --as, or remove " + path + " if this is the same origin"}
	}
	if !slices.Equal(s.Wanted, p.set.Statuses) || s.Media != p.set.Media {
		s.SHA256 = "" // other items belong into the mirror, or with other addresses
	}
	return s, nil
}
