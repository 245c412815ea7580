// This file finds the images and other media that pages name, wherever systems look for them, and puts them into the
// environment.

package markdownsite

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"contentedge/edgeserve/wire/address"
	"contentedge/generator/imports"
	"contentedge/generator/jsontree"
	"contentedge/generator/source/documents"
)

// fileFor returns the address in a release of the file that a URL on a page means. The current page names it from then on.
func (s *site) fileFor(p *page, reference string) (target string, ok bool) {
	name, fragment := documents.SplitURL(reference)
	f := s.fileAt(p, name)
	if f == nil {
		return "", false
	}
	taken, ok := s.take(p, f)
	return taken + fragment, ok
}

// take adds a file to the files of a page, and returns its address in a release.
func (s *site) take(p *page, f *file) (target string, ok bool) {
	if f.sum == nil && !s.digest(f) {
		return "", false
	}
	installed := s.install(p, f)
	if !slices.Contains(p.media, f.name) {
		p.media = append(p.media, f.name)
	}
	return "/" + address.MediaFile(s.envOf(p), *f.sum, path.Base(installed)), true
}

// maxResources bounds the media that a page has by its bundle.
const maxResources = 1000

// takeResources takes the media of the bundle of a page, which layouts and tags show without naming each.
func (s *site) takeResources(p *page) {
	dir := path.Dir(p.file)
	if !s.profile.bundles || dir == p.root.dir || !isLeaf(p) {
		return
	}
	from, _ := slices.BinarySearch(s.names, dir+"/")
	for _, name := range s.names[from:] {
		if !strings.HasPrefix(name, dir+"/") || len(p.media) >= maxResources {
			break
		}
		if f := s.files[name]; isMedia(f) && !s.ignores(name) {
			s.take(p, f)
		}
	}
}

// isMedia reports whether a file can be delivered as media.
func isMedia(f *file) bool {
	return f != nil && address.MediaType(f.name) != "" && f.size > 0 && f.size <= address.MaxMedia
}

// fileAt returns the file that a path on a page means: next to the page, as its address would resolve it, or in a
// folder whose files have their own paths as addresses. It returns nil if the file is missing.
func (s *site) fileAt(p *page, name string) *file {
	if address.MediaType(name) == "" || strings.ContainsAny(name, "\x00\\") {
		return nil
	}
	for _, candidate := range s.fileCandidates(p, name) {
		if f := s.files[candidate]; isMedia(f) {
			return f
		}
	}
	if s.profile.attachments {
		return s.index.attachment(path.Base(name))
	}
	return nil
}

func (s *site) fileCandidates(p *page, name string) (all []string) {
	below, absolute := strings.CutPrefix(name, "/")
	if !absolute {
		stem := strings.TrimSuffix(p.file, path.Ext(p.file))
		all = append(all, path.Join(path.Dir(p.file), name), path.Join(stem, name))
	} else if base := strings.Trim(s.base(), "/"); base != "" {
		below = strings.TrimPrefix(below, base+"/")
	}
	for _, r := range s.roots {
		if r.static && (absolute || s.profile.staticRelative) {
			all = append(all, path.Join(r.dir, strings.TrimPrefix(path.Clean("/"+below), "/")))
		}
	}
	return all
}

// base is the path of the address at which the site begins.
func (s *site) base() string {
	if s.profile.base == "" {
		return ""
	}
	text := s.settings.text(s.profile.base)
	if _, rest, ok := strings.Cut(text, "://"); ok {
		_, text, _ = strings.Cut(rest, "/")
	}
	return text
}

// digest finds the SHA-256 of a file.
func (s *site) digest(f *file) bool {
	opened, err := s.open(f.name)
	if err != nil {
		s.fault(f.name, 0, 0, "this file cannot be read: "+reason(err), "")
		return false
	}
	defer opened.Close()
	hash := sha256.New()
	n, err := io.Copy(hash, io.LimitReader(opened, address.MaxMedia+1))
	if err != nil || n != f.size {
		s.fault(f.name, 0, 0, "this file changed while it was read", "import the site again")
		return false
	}
	f.sum = new([32]byte)
	hash.Sum(f.sum[:0])
	return true
}

// install hands a file over to the environment of a page, once. It returns its path in the folder of the import.
func (s *site) install(p *page, f *file) string {
	name, env := s.index.installedName(f), s.envOf(p)
	if !f.taken[env] {
		if f.taken == nil {
			f.taken = map[string]bool{}
		}
		f.taken[env] = true
		s.job.File(imports.File{Env: env, Name: name, Size: f.size, SHA256: *f.sum, Open: s.opener(f.name)})
	}
	return name
}

// opener returns what opens a file once the site itself is closed.
func (s *site) opener(name string) func() (io.ReadCloser, error) {
	dir := s.job.Export.Path
	return func() (io.ReadCloser, error) {
		root, err := os.OpenRoot(dir)
		if err != nil {
			return nil, err
		}
		defer root.Close()
		return openIn(root, name)
	}
}

// installedName is the path of a file in the folder of the import. No name on it begins with "." or "_", as such files are
// never delivered.
func (x *index) installedName(f *file) string {
	if name, ok := x.installed[f.name]; ok {
		return name
	}
	parts := strings.Split(f.name, "/")
	for i, part := range parts {
		if bare := strings.TrimLeft(part, "._"); bare != part {
			parts[i] = bare
			if bare == "" || i == len(parts)-1 && path.Ext(bare) == "" {
				parts[i] = "x" + part
			}
		}
	}
	name := strings.Join(parts, "/")
	if x.taken[strings.ToLower(name)] {
		name = strings.TrimSuffix(name, path.Ext(name)) + fmt.Sprintf("-%x", f.sum[:4]) + path.Ext(name)
	}
	x.taken[strings.ToLower(name)], x.installed[f.name] = true, name
	return name
}

// mediaReferences are references to the files that a page names.
func (s *site) mediaReferences(p *page) *jsontree.Value {
	list := jsontree.Array()
	for _, name := range p.media {
		installed := s.index.installed[name]
		media := imports.Media{ID: s.job.MediaID("File", name), URL: s.job.FileURL(installed), Extension: strings.TrimPrefix(path.Ext(name), ".")}
		list.Items = append(list.Items, media.Reference())
	}
	return list
}

// maxDepth bounds the objects of front matter in which names of files are looked for.
const maxDepth = 4

// filesInFrontMatter writes the addresses of files in the place of their names. Names of files that do not exist stay.
func (s *site) filesInFrontMatter(p *page, v *jsontree.Value, depth int) {
	if depth > maxDepth {
		return
	}
	replace := func(of *jsontree.Value) *jsontree.Value {
		if !of.IsString() {
			s.filesInFrontMatter(p, of, depth+1)
			return of
		}
		text := of.Str()
		if len(text) > 1000 || strings.Contains(text, "://") || !documents.HasMediaExtension(text) {
			return of
		}
		if target, ok := s.fileFor(p, text); ok {
			return jsontree.String(target)
		}
		return of
	}
	for i := range v.List() {
		v.Items[i] = replace(v.Items[i])
	}
	if !v.IsObject() {
		return
	}
	for i, m := range v.Members {
		if depth > 0 || m.Name != s.rules.DefaultRule().Body.Text && m.Name != s.rules.DefaultRule().Body.HTML {
			v.Members[i].Value = replace(m.Value)
		}
	}
}

// countFiles counts the files that are not pages, by their fate.
func (s *site) countFiles() error {
	for _, name := range s.names {
		f := s.files[name]
		kind, why := s.kindOf(name)
		switch {
		case f.use == aPage || f.use == counted:
			continue
		case len(f.taken) > 0:
			s.job.Read("media")
			s.job.Merged("media", "files that items name")
		case kind != "":
			s.job.Read(kind)
			s.job.Skipped(kind, why)
		}
	}
	return s.failed
}

// layoutFolders and dataFolders are folders of the parts of sites that are not content.
var (
	layoutFolders = []string{"layouts", "_layouts", "_includes", "_sass", "themes", "theme", "archetypes", "scaffolds", "components", "src", "overrides"}
	dataFolders   = []string{"data", "_data", "i18n"}
	programs      = []string{".js", ".mjs", ".cjs", ".ts", ".mts", ".jsx", ".tsx", ".vue", ".svelte", ".astro", ".py", ".rb"}
	templates     = []string{".html", ".htm", ".njk", ".liquid", ".hbs", ".ejs", ".pug", ".haml", ".org", ".adoc", ".asciidoc", ".rst", ".ipynb"}
)

// kindOf returns the kind of a file that is not a page, and why it is not taken; "" for files that are not of the site's
// content.
func (s *site) kindOf(name string) (kind, why string) {
	root, below := s.rootOf(name)
	first, _, nested := strings.Cut(name, "/")
	extension := strings.ToLower(path.Ext(name))
	switch {
	case nested && slices.Contains(layoutFolders, first) && (root == nil || root.dir == "."):
		return "layouts and components", "they are programs of the site"
	case nested && slices.Contains(dataFolders, first) && (root == nil || root.dir == "."):
		return "data files", "templates read them, not pages"
	case root == nil:
		return "", ""
	case slices.Contains(templates, extension):
		return "pages in other formats", "only Markdown is read"
	case root.dir == "." && below == name && !nested:
		return "", ""
	case address.MediaType(name) != "":
		return "media", "no page names them"
	case slices.Contains(programs, extension):
		return "programs", "they are programs of the site"
	case isMarkdown(name):
		return markdownFiles, "they are outside of the content"
	}
	return "other files", "nothing reads them"
}
