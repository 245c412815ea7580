// This file reads the release and selects the requests of each case.

package servebench

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"bench/releasebench"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/release"
)

const (
	listPages  = 20   // requested pages of the default list
	searches   = 1000 // different searches, and different pages of a list without a file
	gzipAtOnce = 500  // files per call of gzip
	contents   = "/cda/rest/v1/" + releasebench.Env + "/contents"
	search     = "/cda/es/v1/" + releasebench.Env
)

// site is a release with its requests.
type site struct {
	public   string
	items    []string          // paths of item files, in random order
	pages    []string          // paths of files of the default list
	allPages []string          // paths of list files, in random order
	queries  map[string]string // path of a list's file by query string
	ids      []string          // of items, for searches
	names    []string          // of the same items
	words    []string          // from items
	defaults address.Defaults
	fields   fields // none: every server sends its defaults
}

// newSite reads a release.
func newSite(public string, files int) (*site, error) {
	raw, err := os.ReadFile(filepath.Join(public, release.ManifestName))
	if err != nil {
		return nil, err
	}
	m, err := release.Parse(raw)
	if err != nil {
		return nil, err
	}
	d := m.Defaults
	s := &site{public: public, fields: fieldsOf(m.Build), queries: map[string]string{}, defaults: address.Defaults{Sort: d.Sort, Asc: d.Asc, Size: d.PageSize}}
	names, err := filepath.Glob(filepath.Join(public, filepath.FromSlash(contents), "*.json"))
	if err != nil || len(names) == 0 {
		return nil, errors.Join(err, errors.New("the release has no items"))
	}
	rand.New(rand.NewSource(1)).Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	for _, name := range names[:min(files, len(names))] {
		s.items = append(s.items, contents+"/"+filepath.Base(name))
	}
	s.addLists(m.Environments[0])
	return s, errors.Join(s.addPages(files), s.addNames(), s.addWords())
}

// addLists adds pages of the default list and the first pages of lists by template.
func (s *site) addLists(env release.Environment) {
	for page := 1; page <= listPages; page++ {
		query := ""
		if page > 1 {
			query = fmt.Sprintf("page=%d", page)
		}
		if file, ok := s.file(query); ok {
			s.pages = append(s.pages, file)
			s.queries[query] = file
		}
	}
	for _, family := range env.Lists {
		for _, v := range family.Values {
			template, ok := v.Filters["template"]
			if !ok || len(v.Filters) > 1 || len(s.queries) == 2*listPages {
				continue
			}
			query := "searchByTemplateName=" + url.QueryEscape(template)
			if file, ok := s.file(query); ok {
				s.queries[query] = file
			}
		}
	}
}

// addPages adds files of all lists, at random.
func (s *site) addPages(files int) error {
	root := filepath.Join(s.public, filepath.FromSlash(contents+"-list"))
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".json" {
			s.allPages = append(s.allPages, contents+"-list"+filepath.ToSlash(strings.TrimPrefix(path, root)))
		}
		return err
	})
	rand.New(rand.NewSource(1)).Shuffle(len(s.allPages), func(i, j int) { s.allPages[i], s.allPages[j] = s.allPages[j], s.allPages[i] })
	s.allPages = s.allPages[:min(files, len(s.allPages))]
	return err
}

// file is the path of a list's file, if it exists.
func (s *site) file(query string) (string, bool) {
	l, err := address.ParseList(query, s.defaults)
	if err != nil {
		return "", false
	}
	name, ok := l.File(releasebench.Env)
	if !ok {
		return "", false
	}
	_, err = os.Stat(filepath.Join(s.public, filepath.FromSlash(name)))
	return "/" + name, err == nil
}

// addNames adds ids and names of the requested items.
func (s *site) addNames() error {
	for _, item := range s.items[:min(searches, len(s.items))] {
		b, err := os.ReadFile(filepath.Join(s.public, filepath.FromSlash(item)))
		if err != nil {
			return err
		}
		var envelope struct {
			Data struct{ ContentID, Name string }
		}
		if err := json.Unmarshal(b, &envelope); err != nil {
			return fmt.Errorf("%s: %w", item, err)
		}
		s.ids, s.names = append(s.ids, envelope.Data.ContentID), append(s.names, envelope.Data.Name)
	}
	return nil
}

// addWords adds words of ASCII letters from the requested items.
func (s *site) addWords() error {
	seen := map[string]bool{}
	for _, item := range s.items {
		b, err := os.ReadFile(filepath.Join(s.public, filepath.FromSlash(item)))
		if err != nil {
			return err
		}
		for _, w := range strings.FieldsFunc(string(b), func(r rune) bool { return (r < 'a' || r > 'z') && r < 0x80 }) {
			if len(w) < 4 || strings.ContainsFunc(w, func(r rune) bool { return r >= 0x80 }) || seen[w] {
				continue
			}
			seen[w] = true
			s.words = append(s.words, w)
			if len(s.words) == searches {
				return nil
			}
		}
	}
	return nil
}

// compress writes a gzip file for every requested file that lacks one.
func (s *site) compress() error {
	var names []string
	add := func(path string) {
		name := filepath.Join(s.public, filepath.FromSlash(path))
		if _, err := os.Stat(name + ".gz"); err != nil {
			names = append(names, name)
		}
	}
	for _, path := range append(s.items, s.pages...) {
		add(path)
	}
	for query, path := range s.queries {
		if !strings.HasPrefix(query, "page=") && query != "" {
			add(path)
		}
	}
	for len(names) > 0 {
		n := min(gzipAtOnce, len(names))
		if out, err := exec.Command("gzip", append([]string{"-9nk", "--"}, names[:n]...)...).CombinedOutput(); err != nil {
			return fmt.Errorf("gzip: %w: %s", err, out)
		}
		names = names[n:]
	}
	return nil
}
