// This file verifies that a site serves a release's bytes, as a client sees them.

package verify

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"

	"contentedge/edgeserve/engine/parallel"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/contentcoding"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/trust"
	"contentedge/generator/checksums"
	"contentedge/generator/spill"
)

const (
	// DefaultJobs is how many requests are under way at once: a site has other clients.
	DefaultJobs = 8
	// maxList bounds a list of checksums that a site sends. It is enough for some 25 million files.
	maxList = 4 << 30
	// enough is how many problems end a verification: further ones would say nothing new.
	maxProblems = 1000
)

// SiteConfig says which site to verify, and how.
type SiteConfig struct {
	URL     string // the address that the names of the release's files follow
	Against string // a directory with the release; "": the manifest and the list of the site
	Sample  int    // how many files to request, drawn at random; 0: all
	Jobs    int    // DefaultJobs if 0

	// Trust verifies the signed pointer of the site, or of Against, and that it names this release. nil accepts an
	// unsigned release.
	Trust *trust.Policy
}

// SiteReport counts requested files and problems. A file counts once for all its codings.
type SiteReport struct {
	Build        string
	Signed       *trust.Verified // nil without Trust
	Files        int             // requested files
	Responses    int             // right responses
	Bytes        int64           // of the bodies of right responses, as they were sent
	Recompressed int             // right responses that the host compressed itself
	Unserved     int             // snapshots that the site does not serve: no client needs them
	Problems     []string
}

// ErrAddress: the URL cannot be the address of a site.
var ErrAddress = errors.New("not the address of a site")

// ErrOther: the site has no release, another one than expected, or changed it meanwhile.
var ErrOther = errors.New("the site is not at one release")

// Site verifies a site. It requests each file uncompressed and in each coding of the release. If the
// host compresses a file itself, the decompressed bytes count. Wrong responses are in the report's
// Problems. Site returns an error if the site is unreachable or has another release, or if the context
// ends.
func Site(ctx context.Context, c SiteConfig) (*SiteReport, error) {
	base, err := url.Parse(c.URL)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" || base.RawQuery+base.Fragment != "" {
		return nil, fmt.Errorf("%w: %q should be like https://host or https://host/path", ErrAddress, c.URL)
	}
	c.Jobs = cmp.Or(c.Jobs, DefaultJobs)
	s := &site{client: newClient(base, c.Jobs), r: &SiteReport{}}
	defer s.client.close()
	manifest, err := s.client.fetch(ctx, release.ManifestName, release.MaxManifest)
	if err != nil && !errors.Is(err, errAbsent) {
		return nil, err
	}
	list, err := s.list(ctx, c.Against, manifest)
	if err != nil {
		return nil, err
	}
	defer list.Close()
	s.r.Build = list.Manifest.Build
	if err := s.checkSigned(ctx, c, list.Raw); err != nil {
		return nil, err
	}
	if err := s.run(ctx, list, c); err != nil {
		return nil, err
	}
	if manifest == nil {
		return s.r, nil
	}
	now, err := s.client.fetch(ctx, release.ManifestName, release.MaxManifest)
	if err == nil && !bytes.Equal(now, manifest) {
		err = fmt.Errorf("%w: its manifest changed meanwhile; run again", ErrOther)
	}
	return s.r, err
}

// checkSigned verifies the signed pointer of the site, or of Against if the site does not serve one.
func (s *site) checkSigned(ctx context.Context, c SiteConfig, manifest []byte) error {
	if c.Trust == nil {
		return nil
	}
	raw, err := s.client.fetch(ctx, release.PointerName, release.MaxPointer)
	switch {
	case errors.Is(err, errAbsent) && c.Against != "":
		raw, err = leftPointer(c.Against)
	case errors.Is(err, errAbsent):
		err = fmt.Errorf("%w at %s: %s", ErrUnsigned, s.client.base, signHint)
	}
	if err != nil {
		return err
	}
	s.r.Signed, err = vouches(c.Trust, raw, manifest)
	return err
}

type site struct {
	client *client

	mu sync.Mutex
	r  *SiteReport // guarded by mu
}

// list returns the list to compare the site with. manifest is nil if the site serves none.
func (s *site) list(ctx context.Context, against string, manifest []byte) (*checksums.List, error) {
	if against == "" {
		if manifest == nil {
			return nil, fmt.Errorf("%s has no %s: edge servers do not serve it, so name the release to compare the site with", s.client.base, release.ManifestName)
		}
		return s.fetchList(ctx, manifest)
	}
	l, err := checksums.Open(against)
	if err == nil && manifest != nil && !bytes.Equal(manifest, l.Raw) {
		err = fmt.Errorf("%w: its manifest differs from release %s in %s", ErrOther, l.Manifest.Build, against)
		l.Close()
	}
	return l, err
}

func (s *site) fetchList(ctx context.Context, manifest []byte) (*checksums.List, error) {
	m, err := release.ParseRows(manifest)
	if err != nil {
		return nil, fmt.Errorf("%s/%s: %w", s.client.base, release.ManifestName, err)
	}
	f, err := os.CreateTemp("", "contentedge-verify-")
	if err != nil {
		return nil, spill.ExplainTempDir(err)
	}
	if err := os.Remove(f.Name()); err != nil { // the file exists as long as it is open
		return nil, errors.Join(err, f.Close())
	}
	empty := func() error {
		_, err := f.Seek(0, io.SeekStart)
		return errors.Join(err, f.Truncate(0))
	}
	if err := s.client.fetchTo(ctx, release.ChecksumsName, f, empty, min(m.Checksums.Bytes, maxList)); err != nil {
		if errors.Is(err, errAbsent) {
			err = fmt.Errorf("%w: name the release to hold the site against", err)
		}
		return nil, errors.Join(err, f.Close())
	}
	l, err := checksums.New("", manifest, m, f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.client.base, err)
	}
	return l, nil
}

// entry is a file and the codings that the release has it in.
type entry struct {
	name string
	checksums.Entry
}

// errEnough ends the comparison of a site with maxProblems problems.
var errEnough = errors.New("enough problems")

func (s *site) run(ctx context.Context, l *checksums.List, c SiteConfig) error {
	group, ctx := parallel.NewGroup(ctx)
	files := make(chan entry)
	for range c.Jobs {
		group.Start(func() error {
			for w := range files {
				if s.file(ctx, w, l.Manifest) >= maxProblems {
					return errEnough
				}
			}
			return nil
		})
	}
	group.Start(func() error {
		defer close(files)
		return drawSample(l, c.Sample, func(w entry) bool {
			select {
			case files <- w:
				return true
			case <-ctx.Done():
				return false
			}
		})
	})
	err := group.Wait()
	slices.Sort(s.r.Problems)
	if err == errEnough {
		return nil
	}
	return err
}

// drawSample yields n random files of a list, or all if n is 0, by name. Each file is equally likely.
func drawSample(l *checksums.List, n int, yield func(entry) bool) error {
	if n == 0 {
		return entries(l.Lines(), yield)
	}
	left := 0
	if err := entries(l.Lines(), func(entry) bool { left++; return true }); err != nil {
		return err
	}
	return entries(l.Lines(), func(w entry) bool {
		drawn := rand.IntN(left) < n
		if left--; !drawn {
			return true
		}
		n--
		return yield(w)
	})
}

func entries(r *checksums.Reader, yield func(entry) bool) error {
	f := checksums.NewEntryReader(r)
	for f.Next() && yield(entry{f.Name, f.Entry}) {
	}
	return f.Err()
}

// file requests a file in all its codings, and returns the number of problems so far.
func (s *site) file(ctx context.Context, w entry, m *release.Manifest) int {
	s.note(func(r *SiteReport) { r.Files++ })
	for c := contentcoding.Identity; c < contentcoding.Count && ctx.Err() == nil; c++ {
		if !w.Codings.Has(c) {
			continue
		}
		a, err := s.client.get(ctx, w.name, c, limit(w.name, m))
		switch {
		case errors.Is(err, errAbsent) && release.EnvironmentOf(w.name) != "":
			s.note(func(r *SiteReport) { r.Files--; r.Unserved++ })
			continue
		case err == nil:
			err = a.check(&w, m.Build)
		}
		if ctx.Err() != nil {
			break // a response that was cut proves nothing
		}
		s.note(func(r *SiteReport) {
			if err != nil {
				r.Problems = append(r.Problems, fmt.Sprintf("%s, asked for as %s: %v", w.name, c, err))
				return
			}
			r.Responses++
			r.Bytes += a.size
			if a.coding != contentcoding.Identity && a.raw != w.Sums[a.coding] {
				r.Recompressed++
			}
		})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.r.Problems)
}

// mediaSandbox is the directive of a Content-Security-Policy that keeps media apart from a site's pages.
const mediaSandbox = "sandbox"

// maxBody bounds a body. A page of address.MaxSize items is smaller.
const maxBody = 256 << 20

// maxSnapshot bounds a snapshot whose size is not known, because the site's manifest has only rows.
const maxSnapshot = 64 << 30

// limit returns the largest size of a file in bytes. A snapshot has the size in the manifest.
func limit(name string, m *release.Manifest) int64 {
	e := m.Environment(release.EnvironmentOf(name))
	switch {
	case e != nil && e.Snapshot.File == name:
		return e.Snapshot.Bytes
	case e != nil: // a snapshot or a part
		return maxSnapshot
	case isMedia(name):
		return address.MaxMedia
	}
	return maxBody
}

func (s *site) note(change func(*SiteReport)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s.r)
}

// check checks a response to a request for a file. Caches keep media for ever, with the field of the release
// that they came from.
func (a *response) check(w *entry, build string) error {
	switch {
	case !isMedia(w.name):
	case !strings.Contains(a.policy, mediaSandbox):
		return fmt.Errorf("%s is %q, without %q: a browser may run the file as a page of the site", httpfield.ContentSecurityPolicy, a.policy, mediaSandbox)
	case !strings.EqualFold(a.options, release.NoSniff):
		return fmt.Errorf("%s is %q, not %q: a browser may take the file for one of another type", httpfield.ContentTypeOptions, a.options, release.NoSniff)
	default:
		a.release = ""
	}
	if a.release != "" && a.release != build {
		return fmt.Errorf("the response is from release %q, by its %s", a.release, http.CanonicalHeaderKey(httpfield.Release))
	}
	if want := w.Sums[contentcoding.Identity]; a.body != want {
		return fmt.Errorf("the body (%s, %d bytes as they came) has the SHA-256 %x, the release %x", a.coding, a.size, a.body, want)
	}
	return nil
}
