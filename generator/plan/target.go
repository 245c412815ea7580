// This file knows what the hosts of static files can hold. A release that its host
// would refuse in the middle of an upload is refused here, before a byte is written.

package plan

import (
	"fmt"
	"slices"
	"strings"

	"contentedge/edgeserve/address"
	"contentedge/edgeserve/encoding"
)

// Target is a host's limits on the files that are deployed to it: items and list pages,
// what stands beside them coded, the manifest and the list of sums. A limit of 0 is none
// that a release could reach.
type Target struct {
	Name      string
	Files     int64 // of a deployment
	FileBytes int64 // of one file
	DirFiles  int64 // in one directory
	NameBytes int64 // of a file's name below the release's root
	Values    int64 // of all filters: rows of the tables in the host's configuration
}

// maxRows bounds the tables of hosts that compare a value with one row after the other:
// ten thousand rows cost a request that has none of them about a millisecond.
const maxRows = 10_000

// targets are the limits that the vendors document, as of 2026. Cloudflare and Netlify
// compress what they send and S3 sends what it has, so coded files are of no use to any
// of them.
var targets = []Target{
	{Name: "caddy", Values: maxRows},
	{Name: "cloudflare-pages", Files: 20_000, FileBytes: 25 << 20},
	{Name: "cloudflare-pages-paid", Files: 100_000, FileBytes: 25 << 20},
	{Name: "cloudfront", NameBytes: 1024}, // in front of S3
	{Name: "netlify", DirFiles: 54_000},
	{Name: "nginx", Values: maxRows},
	{Name: "s3", NameBytes: 1024},
}

// TargetNames lists the hosts whose limits are known.
func TargetNames() []string {
	names := make([]string, len(targets))
	for i, t := range targets {
		names[i] = t.Name
	}
	return names
}

// FindTarget gives the limits of a host.
func FindTarget(name string) (*Target, error) {
	i := slices.IndexFunc(targets, func(t Target) bool { return t.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("no limits are known of %q: use one of %s", name, strings.Join(TargetNames(), ", "))
	}
	return &targets[i], nil
}

// NoteItem takes an item's file into the figures and extremes.
func (s *Summary) NoteItem(id string, bytes int64) {
	name := func() string { return address.ItemFile(s.ID, id) }
	s.Items++
	s.ItemBytes += bytes
	s.Coded += s.coded(bytes)
	s.Largest.Raise(bytes, name)
	s.Longest.Raise(int64(len(name())), name)
	s.Fullest.Raise(int64(s.Items+s.Coded), func() string { return directory(name()) })
}

// NotePage takes a list's page into the extremes. Items are noted before pages.
func (s *Summary) NotePage(p Page, bytes int64) {
	name := func() string {
		file, _ := p.Address.File(s.ID) // a planned list has a file
		return file
	}
	s.Coded += s.coded(bytes)
	s.Largest.Raise(bytes, name)
	s.Fullest.Raise(int64(p.Address.Page*(1+s.coded(bytes))), func() string { return directory(name()) })
	if p.Total <= p.Address.Page*p.Address.Size { // the last page has the longest name
		s.Longest.Raise(int64(len(name())), name)
	}
}

// coded is how many files may stand beside one.
func (s *Summary) coded(bytes int64) int {
	if bytes < encoding.MinBody {
		return 0
	}
	return s.codings
}

func directory(file string) string { return file[:strings.LastIndexByte(file, '/')] }

// guard refuses what the host cannot hold.
func (t *Target) guard(envs []Summary) error {
	own, lists, coded, values := int64(2), int64(0), int64(0), int64(0) // two are the manifest and the list of sums
	for i := range envs {
		s := &envs[i]
		files, _ := s.ListFiles()
		own += int64(s.Items)
		lists += int64(files)
		coded += int64(s.Coded)
		for _, v := range s.Values {
			values += int64(v.Values)
		}
		if err := t.guardExtremes(s); err != nil {
			return err
		}
	}
	hint := "Drop a filter, an order or a page size, or leave deep lists to the edge server with --max-pages."
	switch {
	case own > t.Files:
		hint = "Its items alone are too many: choose another host."
	case own+lists <= t.Files:
		hint = "Leave out coded files with --compress none."
	}
	if err := t.refuse(t.Files, own+lists+coded, "files", "the release", hint); err != nil {
		return err
	}
	return t.refuse(t.Values, values, "filter values in the tables of its configuration", "the release", "Drop a filter from --lists: the edge server answers its lists.")
}

// guardExtremes checks the files that come first to a limit.
func (t *Target) guardExtremes(s *Summary) error {
	fewer := ""
	if s.codings > 0 {
		fewer = "Leave out coded files with --compress none. "
	}
	for _, l := range []struct {
		most int64
		have Extreme
		unit string
		hint string
	}{
		{t.FileBytes, s.Largest, "bytes in a file", "Make pages smaller with --page-size, or split the item."},
		{t.DirFiles, s.Fullest, "files in a directory", fewer + "Split the environment, or choose a host without that limit."},
		{t.NameBytes, s.Longest, "bytes in a file's name", "Use a shorter environment id."},
	} {
		if err := t.refuse(l.most, l.have.Amount, l.unit, l.have.Name, l.hint); err != nil {
			return err
		}
	}
	return nil
}

// refuse is the error for an amount above a limit, which 0 is not.
func (t *Target) refuse(most, have int64, unit, where, hint string) error {
	if most == 0 || have <= most {
		return nil
	}
	return &LimitError{fmt.Sprintf("%s holds at most %d %s, and %s could have %d. %s", t.Name, most, unit, where, have, hint)}
}
