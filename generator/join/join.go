// Package join makes a release of partial releases, which several machines have built, each of some environments. The
// bytes equal one build of all environments. Files are linked where that is possible, otherwise copied and compared
// with the list of checksums.
package join

import (
	"bufio"
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"contentedge/edgeserve/wire/contentcoding"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator/checksums"
	"contentedge/generator/output"
	"contentedge/generator/removal"
)

// Config says what to join.
type Config struct {
	Parts []string // directories of partial releases, or of their output
	Out   string   // the directory that holds releases
	// Against are releases whose environments must not be lost, such as a store's current one. The current release of
	// Out is included.
	Against []*release.Manifest
	Removal removal.Limit // how many of their items the release may remove

	FileMode, DirMode fs.FileMode // of everything written; 0: the default
	NoSync            bool
	DryRun            bool                 // check everything, write nothing
	Warn              func(message string) // called with warnings
}

// Report describes the release.
type Report struct {
	Build        string `json:"build"`
	Parts        int    `json:"parts"`
	Environments int    `json:"environments"`
	Items        int    `json:"items"`
	Files        int    `json:"files"` // as the manifest counts them
	Bytes        int64  `json:"bytes"`
	Linked       int    `json:"linked"` // files that share their bytes with a part
	Copied       int    `json:"copied"`
}

// Error says that the parts do not make one release.
type Error struct{ Problems []string }

// Error names each problem in a line.
func (e *Error) Error() string {
	return "REFUSED: these parts do not make one release; nothing was changed\n  " + strings.Join(e.Problems, "\n  ")
}

// Refused says what is refused.
func (*Error) Refused() string { return "the parts do not make one release" }

// Join makes the release current. Errors: *Error, *removal.Error or the system's.
func Join(ctx context.Context, c Config) (*Report, error) {
	parts, err := open(c.Parts)
	defer func() {
		for _, p := range parts {
			p.Close()
		}
	}()
	if err != nil {
		return nil, err
	}
	m, err := merge(parts)
	if err != nil {
		return nil, err
	}
	if err := c.guard(m); err != nil {
		return nil, err
	}
	j := &joiner{parts: parts, m: m, r: &Report{Parts: len(parts), Environments: len(m.Environments), Files: m.Files, Bytes: m.Bytes}}
	for i := range m.Environments {
		j.r.Items += m.Environments[i].Items
	}
	if c.DryRun {
		return j.r, j.checksums(ctx, io.Discard, func(*source) error { return nil })
	}
	return j.r, j.write(ctx, &c)
}

// part is a partial release under the name that the caller gave.
type part struct {
	*checksums.List
	name string
}

// open opens the parts.
func open(names []string) (parts []*part, err error) {
	for _, name := range names {
		l, err := checksums.Open(name)
		if err != nil {
			return parts, err
		}
		parts = append(parts, &part{l, name})
	}
	return parts, nil
}

// merge makes the manifest, without the list of checksums.
func merge(parts []*part) (*release.Manifest, error) {
	var problems []string
	first := parts[0].Manifest
	m := &release.Manifest{Defaults: first.Defaults, Compression: first.Compression}
	owner := map[string]string{}
	for _, p := range parts {
		switch {
		case !p.Manifest.Partial:
			problems = append(problems, p.name+" holds a whole release, not one of generator build --part")
		case p.Manifest.Defaults != first.Defaults:
			problems = append(problems, fmt.Sprintf("%s was built with another default order or page size than %s", p.name, parts[0].name))
		case !slices.Equal(p.Manifest.Compression, first.Compression):
			problems = append(problems, fmt.Sprintf("%s was compressed in another way than %s, or by another version of the generator", p.name, parts[0].name))
		}
		for i := range p.Manifest.Environments {
			e := &p.Manifest.Environments[i]
			if other, taken := owner[e.ID]; taken {
				problems = append(problems, fmt.Sprintf("environment %q is in %s and in %s: each environment belongs to one part", e.ID, other, p.name))
				continue
			}
			owner[e.ID] = p.name
			m.Environments = append(m.Environments, *e)
		}
		m.Visible = m.Visible.Meet(p.Manifest.Visible)
		m.Files += p.Manifest.Files
		m.Bytes += p.Manifest.Bytes
	}
	if m.Visible.Empty() {
		problems = append(problems, fmt.Sprintf("items appear or expire between the builds of the parts: no time is from %s on and before %s; build all parts with the same --at", m.Visible.From, m.Visible.Until))
	}
	if len(problems) > 0 {
		return nil, &Error{problems}
	}
	slices.SortFunc(m.Environments, func(a, b release.Environment) int { return cmp.Compare(a.ID, b.ID) })
	m.SetFormat()
	return m, nil
}

// guard refuses a release that loses what others have.
func (c *Config) guard(m *release.Manifest) error {
	current, err := output.Current(c.Out)
	if err != nil {
		return err
	}
	against := c.Against
	if current != "" && !c.Removal.Allow {
		b, err := os.ReadFile(filepath.Join(current, release.ManifestName))
		if err == nil {
			var now *release.Manifest
			if now, err = release.ParseRows(b); err == nil {
				against = append(slices.Clip(against), now)
			}
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			c.Warn(fmt.Sprintf("the current release of %s cannot be read, so removals were not checked against it: %v", c.Out, err))
		}
	}
	for _, before := range against {
		if err := c.Removal.Check(removal.CompareManifests(before, m)); err != nil {
			return err
		}
	}
	return nil
}

// joiner joins parts.
type joiner struct {
	parts []*part
	m     *release.Manifest
	r     *Report
	tx    *output.Tx
}

// source is a part while its list is read.
type source struct {
	*checksums.EntryReader
	part   *part
	linker *output.Linker
}

func (j *joiner) write(ctx context.Context, c *Config) (err error) {
	j.tx, err = output.Begin(c.Out, output.Options{FileMode: c.FileMode, DirMode: c.DirMode, NoSync: c.NoSync})
	if err != nil {
		return err
	}
	defer func() {
		j.tx.Abort() // after Commit it does nothing
		for _, w := range j.tx.Warnings() {
			c.Warn(w.Path + ": " + w.Message)
		}
	}()
	fill := func(w io.Writer) error { return j.checksums(ctx, w, j.bring) }
	list, err := j.tx.Stream(fill, func([32]byte) string { return release.ChecksumsName })
	if err != nil {
		return err
	}
	j.m.Checksums = release.Checksums{Bytes: list.Bytes, SHA256: hex.EncodeToString(list.SHA256[:])}
	text := j.m.Encode()
	if len(text) > release.MaxManifest {
		return fmt.Errorf("the manifest would have %d bytes, more than the %d that readers accept: join fewer environments than these %d", len(text), release.MaxManifest, len(j.m.Environments))
	}
	if err := j.tx.Write(release.ManifestName, text); err != nil {
		return err
	}
	j.r.Build = j.m.Build
	return j.tx.Commit(j.m.Build)
}

// checksums writes the list of the release. It calls bring with each entry that the release has.
func (j *joiner) checksums(ctx context.Context, to io.Writer, bring func(*source) error) error {
	buffered := bufio.NewWriter(to)
	w := checksums.NewWriter(buffered)
	var open []*source
	for _, p := range j.parts {
		s := &source{EntryReader: checksums.NewEntryReader(p.Lines()), part: p}
		if j.tx != nil {
			s.linker = j.tx.Linker(p.Dir)
			defer s.linker.Close()
		}
		if s.Next() {
			open = append(open, s)
		} else if err := s.Err(); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	for len(open) > 0 {
		s := slices.MinFunc(open, func(a, b *source) int { return strings.Compare(a.Name, b.Name) })
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if !strings.HasPrefix(s.Name, release.PartsDir+"/") || j.m.HasParts() {
			if err := bring(s); err != nil {
				return err
			}
			if err := s.Each(s.Name, w.Add); err != nil {
				return err
			}
		}
		if s.Next() {
			continue
		}
		if err := s.Err(); err != nil {
			return fmt.Errorf("%s: %w", s.part.name, err)
		}
		open = slices.DeleteFunc(open, func(o *source) bool { return o == s })
	}
	return buffered.Flush()
}

// bring links or copies the files of the current entry.
func (j *joiner) bring(s *source) error {
	wanted := output.Wanted{Size: output.UnknownSize}
	if strings.HasPrefix(s.Name, release.FilesLink+"/") {
		wanted.Mtime = release.FileTime(s.Sums[contentcoding.Identity])
	}
	names := s.Names(s.Name)
	linked, err := s.linker.Link(wanted, names...)
	if err != nil {
		return err
	}
	if linked {
		j.r.Linked += len(names)
		return nil
	}
	return s.Each(s.Name, func(name string, sum checksums.Sum) error {
		j.r.Copied++
		return j.copy(s.part.Dir, name, wanted, sum)
	})
}

func (j *joiner) copy(dir, name string, w output.Wanted, sum checksums.Sum) error {
	path := filepath.Join(dir, filepath.FromSlash(name))
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file: build the part again", path)
	}
	_, got, err := j.tx.Copy(name, w.Mtime, f, info.Size())
	if err == nil && got != sum {
		err = fmt.Errorf("%s has the SHA-256 %x, its list of checksums says %x: copy or build the part again", path, got, sum)
	}
	return err
}
