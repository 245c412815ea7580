// This file lists and reads the files of a site, through an os.Root, so that links never lead out of the site.

package markdownsite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"contentedge/generator/imports"
	"contentedge/generator/imports/export"
	"contentedge/generator/jsontree"
	"contentedge/generator/model"
	"contentedge/generator/source/documents"
	"contentedge/generator/source/environment"
	"contentedge/generator/source/githistory"
	"contentedge/generator/source/items"
	"contentedge/generator/source/markdown"
)

const (
	// maxFiles bounds the files of a site, whose names are in memory.
	maxFiles = 1 << 20
	// maxFolders bounds the depth of folders.
	maxFolders = 512
	// maxFaults bounds the faults that are reported.
	maxFaults = 200
)

// site is a site that is imported.
type site struct {
	ctx     context.Context
	job     *imports.Job
	profile *profile
	root    *os.Root

	settings  settings
	files     map[string]*file // by path below the site
	names     []string         // of files, sorted
	roots     []contentRoot
	ignored   []matcher
	drafts    []matcher // of pages that the settings call drafts
	pages     []*page
	data      map[string][]jsontree.Member // values of data files, by their names
	sections  map[string]*page             // pages that give values to pages below them, by language and path; nil before they are known
	languages siteLanguages
	index     index
	locales   *imports.Locales // nil: the pages have no languages
	rules     *environment.Settings
	makers    map[makerKey]documents.Reader
	current   *page           // whose item is made
	front     *jsontree.Value // its front matter with defaults, while its text is prepared
	added     map[string]int  // lines that are in front of the texts of files

	history   *githistory.History
	noHistory *githistory.Unavailable // why git has no dates, if it was asked
	undated   int                     // pages without a date
	first     string                  // the first one
	failed    error                   // the system's, of an answer

	faults []model.Diagnostic
	more   bool // there are faults that are not kept
	kinds  []kindCount
}

// file is a regular file of the site.
type file struct {
	name string
	size int64
	use  use

	sum   *[32]byte // of its bytes; nil before it was read
	taken map[string]bool
}

// use is what became of a file.
type use int

const (
	unused  use = iota
	aPage       // it is counted as a page
	used        // an item names it
	counted     // it was counted already
)

func newSite(ctx context.Context, j *imports.Job, p *profile, root *os.Root) *site {
	return &site{ctx: ctx, job: j, profile: p, root: root, files: map[string]*file{}, added: map[string]int{}, makers: map[makerKey]documents.Reader{}, history: githistory.New(j.Export.Path)}
}

// shown is a path of the site as the user would type it.
func (s *site) shown(name string) string {
	return filepath.Join(s.job.Export.Path, filepath.FromSlash(name))
}

// passedOver are folders that hold no content of any site: what programs install and write.
var passedOver = []string{"node_modules", "_site", "vendor", "__pycache__"}

// PassesOver reports whether files and folders of a name are never read.
func PassesOver(name string) bool {
	return slices.Contains(passedOver, name) || hidden(name) && !slices.ContainsFunc(profiles, func(p profile) bool { return slices.Contains(p.open, name) })
}

// list lists the files. Names that begin with a dot are left out, as are links to folders.
func (s *site) list() error {
	content := s.contentFolder()
	err := fs.WalkDir(s.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case s.ctx.Err() != nil:
			return s.ctx.Err()
		case err != nil && name == ".":
			return err
		case err != nil:
			s.fault(name, 0, 0, "this cannot be read: "+reason(err), "")
			return fs.SkipDir
		case name == ".":
			return nil
		case d.IsDir():
			if hidden(d.Name()) && !slices.Contains(s.profile.open, d.Name()) || slices.Contains(passedOver, d.Name()) || slices.Contains(s.profile.output, name) || name == content {
				return fs.SkipDir
			}
			if strings.Count(name, "/") >= maxFolders {
				s.fault(name, 0, 0, fmt.Sprintf("folders are more than %d deep here", maxFolders), "")
				return fs.SkipDir
			}
			return nil
		}
		return s.add(name, d)
	})
	slices.Sort(s.names)
	return err
}

// contentFolder returns the path below the site of the folder with the environments; "" if it is elsewhere.
func (s *site) contentFolder() string {
	at, err := filepath.Abs(s.job.Export.Path)
	content, contentError := filepath.Abs(s.job.Options.Content)
	if errors.Join(err, contentError) != nil {
		return ""
	}
	below, err := filepath.Rel(at, content)
	if err != nil || !filepath.IsLocal(below) {
		return ""
	}
	return filepath.ToSlash(below)
}

// checkContent refuses a folder of environments that is one of the site's own, or in one.
func (s *site) checkContent() error {
	content := s.contentFolder()
	for i := range s.roots {
		r := &s.roots[i]
		if _, inside := r.below(content + "/"); content != "" && (content == r.dir || r.dir != "." && inside) {
			return &imports.UsageError{Option: "--content", Message: fmt.Sprintf("%s is a folder of the site itself", s.shown(content)), Hint: "name another folder for the environments, for example --content ../content"}
		}
	}
	return nil
}

func hidden(name string) bool { return strings.HasPrefix(name, ".") }

// add keeps a regular file, or a link to one in the site.
func (s *site) add(name string, d fs.DirEntry) error {
	info, err := d.Info()
	if err == nil && d.Type()&fs.ModeSymlink != 0 {
		info, err = s.root.Stat(filepath.FromSlash(name))
		if err != nil || info.IsDir() {
			s.job.Read("links")
			s.job.Skipped("links", "they lead to no file of the site")
			return nil
		}
	}
	if hidden(d.Name()) && !strings.HasPrefix(name, ".obsidian/") && !strings.HasPrefix(d.Name(), ".eleventy") || err != nil || !info.Mode().IsRegular() {
		return nil
	}
	if len(s.names) == maxFiles {
		return &export.Fault{File: s.job.Export.Path, Message: fmt.Sprintf("the site has more than %d files", maxFiles), Hint: "import a folder of the site"}
	}
	s.files[name] = &file{name: name, size: info.Size()}
	s.names = append(s.names, name)
	return nil
}

func (s *site) open(name string) (*os.File, error) { return openIn(s.root, name) }

// openIn opens a file. Non-blocking, as a pipe may have taken its place.
func openIn(root *os.Root, name string) (*os.File, error) {
	f, err := root.OpenFile(filepath.FromSlash(name), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a file any more")
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// read returns the text of a file; false after a fault, which it reports.
func (s *site) read(name string, most int64) ([]byte, bool) {
	f, err := s.open(name)
	if err != nil {
		s.fault(name, 0, 0, "this file cannot be read: "+reason(err), "")
		return nil, false
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(text)) > most {
		s.fault(name, 0, 0, fmt.Sprintf("this file has more than %d bytes", most), "divide it")
		return nil, false
	}
	if err == nil {
		text, err = documents.Decode(text)
	}
	var fault *documents.FileFault
	switch {
	case errors.As(err, &fault):
		s.fault(name, fault.Line, 1, fault.Message, fault.Hint)
		return nil, false
	case err != nil:
		s.fault(name, 0, 0, "this file cannot be read: "+reason(err), "")
		return nil, false
	}
	return text, true
}

// readPage returns the text of a Markdown file.
func (s *site) readPage(p *page) ([]byte, bool) {
	text, ok := s.read(p.file, markdown.MaxFile)
	if !ok || s.profile.opened == nil {
		return text, ok
	}
	text, added := s.profile.opened(text)
	if added > 0 {
		s.added[p.file] = added
	}
	return text, ok
}

// fault reports what is wrong at a place, once: files are read several times.
func (s *site) fault(name string, line, col int, message, hint string) {
	line = max(line-s.added[name], min(line, 1))
	found := model.Diagnostic{File: s.shown(name), Line: line, Col: col, Message: message, Hint: hint}
	switch {
	case slices.Contains(s.faults, found):
	case len(s.faults) == maxFaults:
		s.more = true
	default:
		s.faults = append(s.faults, found)
	}
}

// warn counts a warning by its message, with the first place.
func (s *site) warn(message, name string, line, col int) {
	place := s.shown(name)
	if line = max(line-s.added[name], min(line, 1)); line > 0 {
		place += fmt.Sprintf(":%d:%d", line, col)
	}
	s.job.Warn(message, place)
}

// finish returns the faults, or else the error of pages without a date.
func (s *site) finish() error {
	s.warnKinds()
	if len(s.faults) > 0 {
		if s.more {
			s.faults = append(s.faults, model.Diagnostic{Message: "and more faults"})
		}
		return &imports.InvalidError{Path: s.job.Export.Path, Diagnostics: s.faults}
	}
	if s.undated == 0 || !s.job.Options.Date.IsZero() {
		return nil
	}
	f := &export.Fault{File: s.job.Export.Path, Message: fmt.Sprintf("items without a date: %d (first %s)", s.undated, s.first), Hint: "give them one with --date, for example --date 2024-01-31"}
	if s.noHistory != nil {
		f.Message += ", and " + s.noHistory.Message
		f.Hint = s.noHistory.Hint + "; or " + f.Hint
	} else {
		f.Message += ", and git does not have them"
		f.Hint = "commit them; or " + f.Hint
	}
	return f
}

// settings are what the settings of a site say.
type settings struct {
	value   *jsontree.Value // an object, perhaps without members
	program string          // the text of settings that are a program
	name    string          // of the file, or ""
}

// text returns a setting that is a text; "" for others.
func (s *settings) text(names ...string) string { return s.value.Get(names...).Text() }

// texts returns the texts of a setting that is a list, or one text.
func (s *settings) texts(names ...string) (all []string) {
	v := s.value.Get(names...)
	if v.IsString() {
		return []string{v.Str()}
	}
	for _, item := range v.List() {
		if text := item.Text(); text != "" {
			all = append(all, text)
		}
	}
	return all
}

// folder returns a setting that names a folder of the site, otherwise the default.
func (s *settings) folder(otherwise string, names ...string) string {
	text := strings.Trim(path.Clean("/"+s.text(names...)), "/")
	if text == "" {
		return otherwise
	}
	return text
}

// isMarkdown reports whether a name is the name of a Markdown file.
func isMarkdown(name string) bool {
	f := items.FormatOf(name)
	return f != nil && f.Markdown
}
