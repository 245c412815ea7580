// This file holds the limits of static hosts, so that a build refuses what an upload would refuse.

package plan

import (
	"fmt"
	"slices"
	"strings"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/contentcoding"
)

// Target is a host's limits on the files of a deployment: items, pages, precompressed files,
// the manifest and the list of checksums. 0 means no limit.
type Target struct {
	Name      string
	Files     int64 // of a deployment
	FileBytes int64 // of one file
	DirFiles  int64 // in one directory
	NameBytes int64 // of a file's name below the release's root
	Values    int64 // of all filters: rows of the tables in the host's configuration
	Memory    int64 // of a program there that searches; 0 without searches
}

// maxRows bounds tables that a host searches row by row, 10,000 in about a millisecond.
const maxRows = 10_000

// targets are documented limits, as of 2026. These hosts do not use precompressed files.
var targets = []Target{
	{Name: "caddy", Values: maxRows},
	{Name: "cloudflare-pages", Files: 20_000, FileBytes: 25 << 20},
	{Name: "cloudflare-pages-paid", Files: 100_000, FileBytes: 25 << 20},
	{Name: "cloudflare-worker", Files: 100_000, FileBytes: 25 << 20, Memory: 128_000_000}, // of a paid plan
	{Name: "cloudfront", NameBytes: 1024},                                                 // in front of S3
	{Name: "netlify", DirFiles: 54_000},
	{Name: "nginx", Values: maxRows},
	{Name: "s3", NameBytes: 1024},
	{Name: "static", Memory: 512 << 20}, // browsers of phones end pages that take more
}

// TargetNames lists the hosts whose limits are known.
func TargetNames() []string {
	names := make([]string, len(targets))
	for i, t := range targets {
		names[i] = t.Name
	}
	return names
}

// FindTarget returns the limits of a host.
func FindTarget(name string) (*Target, error) {
	i := slices.IndexFunc(targets, func(t Target) bool { return t.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("no limits are known of %q: use one of %s", name, strings.Join(TargetNames(), ", "))
	}
	return &targets[i], nil
}

// NoteItem adds an item's file to the figures.
func (s *Summary) NoteItem(id string, bytes int64) {
	name := func() string { return address.ItemFile(s.ID, id) }
	s.Items++
	s.ItemBytes += bytes
	s.Precompressed += s.precompressed(bytes)
	s.Largest.Raise(bytes, name)
	s.Longest.Raise(int64(len(name())), name)
	s.Fullest.Raise(int64(s.Items+s.Precompressed), func() string { return directory(name()) })
}

// NoteUsedIn adds the file of the items that refer to an item to the figures.
func (s *Summary) NoteUsedIn(id string, bytes int64) {
	name := func() string { return address.UsedInFile(s.ID, id) }
	s.UsedIn++
	s.UsedInBytes += bytes
	s.Precompressed += s.precompressed(bytes)
	s.Largest.Raise(bytes, name)
	s.Longest.Raise(int64(len(name())), name)
}

// NotePage adds a list's page to the figures. Items come before pages.
func (s *Summary) NotePage(p Page, bytes int64) {
	name := func() string {
		file, _ := p.Address.File(s.ID) // a planned list has a file
		return file
	}
	s.Precompressed += s.precompressed(bytes)
	s.Largest.Raise(bytes, name)
	s.Fullest.Raise(int64(p.Address.Page*(1+s.precompressed(bytes))), func() string { return directory(name()) })
	if p.Total <= p.Address.Page*p.Address.Size { // the last page has the longest name
		s.Longest.Raise(int64(len(name())), name)
	}
}

// NoteMedia adds a media file to the figures.
func (s *Summary) NoteMedia(name string, bytes int64) {
	s.Media++
	s.MediaBytes += bytes
	s.Largest.Raise(bytes, func() string { return name })
	s.Longest.Raise(int64(len(name)), func() string { return name })
}

// precompressed is how many precompressed files a file may get.
func (s *Summary) precompressed(bytes int64) int {
	if bytes < contentcoding.MinBody {
		return 0
	}
	return s.codings
}

func directory(file string) string { return file[:strings.LastIndexByte(file, '/')] }

func (t *Target) check(envs []Summary) error {
	own, media, lists, precompressed, values := int64(2), 0, int64(0), int64(0), int64(0) // two are the manifest and the list of checksums
	for i := range envs {
		s := &envs[i]
		files, _ := s.ListFiles()
		own += int64(s.Items + s.UsedIn + s.Media)
		media += s.Media
		lists += int64(files) + int64(s.SearchFiles)
		precompressed += int64(s.Precompressed)
		for _, v := range s.Values {
			values += int64(v.Values)
		}
		if err := t.checkExtremes(s); err != nil {
			return err
		}
	}
	hint := "Drop a filter, an order or a page size, or leave deep lists to the edge server with --max-pages."
	switch {
	case own > t.Files:
		what := "items"
		if media > 0 {
			what += " and media"
		}
		hint = "Even without other files its " + what + " are too many: choose another host."
	case own+lists <= t.Files:
		hint = "Leave out precompressed files with --compress none."
	}
	if err := t.refuse(t.Files, own+lists+precompressed, "files", "the release", hint); err != nil {
		return err
	}
	return t.refuse(t.Values, values, "filter values in the tables of its configuration", "the release", "Drop a filter from --lists: the edge server answers its lists.")
}

func (t *Target) checkExtremes(s *Summary) error {
	fewer := ""
	if s.codings > 0 {
		fewer = "Leave out precompressed files with --compress none. "
	}
	for _, l := range []struct {
		most int64
		have Extreme
		unit string
		hint string
	}{
		{t.FileBytes, s.Largest, "bytes in a file", "Make pages smaller with --page-size, split the item, or deliver a media file from elsewhere."},
		{t.DirFiles, s.Fullest, "files in a directory", fewer + "Split the environment, or choose a host without that limit."},
		{t.NameBytes, s.Longest, "bytes in a file's name", "Use a shorter environment id."},
	} {
		if err := t.refuse(l.most, l.have.Amount, l.unit, l.have.Name, l.hint); err != nil {
			return err
		}
	}
	return nil
}

// CheckFile returns a *LimitError for a file that is too large. A nil Target has no limit.
func (t *Target) CheckFile(name string, bytes int64) error {
	if t == nil {
		return nil
	}
	return t.refuse(t.FileBytes, bytes, "bytes in a file", name, "Ask for fewer items a page.")
}

// refuse returns the error for an amount above a limit. A limit of 0 refuses nothing.
func (t *Target) refuse(most, have int64, unit, where, hint string) error {
	if most == 0 || have <= most {
		return nil
	}
	return &LimitError{fmt.Sprintf("%s holds at most %d %s, and %s could have %d. %s", t.Name, most, unit, where, have, hint)}
}
