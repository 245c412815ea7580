// This file answers which items links of texts lead to.

package source

import (
	"context"
	"path"
	"strings"
	"sync"

	"contentedge/generator/source/documents"
	"contentedge/generator/source/items"
	"contentedge/generator/visibility"
)

// links find the Markdown files that links lead to, for one Tree.
type links struct {
	*lookups

	mu    sync.Mutex // guards pages
	pages map[string]*pages
}

// pages are the Markdown files of an environment.
type pages struct {
	byFile map[string]*page   // by the path below the environment
	byBase map[string][]*page // by the path without extension, language and index
}

// page is a Markdown file whose item links may lead to.
type page struct {
	file     *File
	language string // that the name of the file ends in
	folder   bool   // it is the page of its folder
}

// SetVisible says which items a build delivers, before files are read. Without it all items are delivered.
func (t *Tree) SetVisible(visible func(visibility.Item) bool) { t.visible = visible }

// answer returns the Target of a link.
func (l *links) answer(ctx context.Context, q documents.Question) (string, error) {
	language, target := documents.CutLinkKey(q.Key)
	page := l.pagesOf(q.Env).find(language, target)
	if page == nil {
		return "", nil
	}
	found, err := l.of(ctx, page.file)
	if err != nil || len(found) != 1 {
		return "", err
	}
	to := found[0].Target
	to.Hidden = l.tree.visible != nil && !l.tree.visible(found[0].Visible)
	return to.Answer(), nil
}

func (l *links) pagesOf(env string) *pages {
	l.mu.Lock()
	defer l.mu.Unlock()
	if of := l.pages[env]; of != nil {
		return of
	}
	of := &pages{byFile: map[string]*page{}, byBase: map[string][]*page{}}
	for i := range l.tree.Files {
		f := &l.tree.Files[i]
		if f.Env != env || f.records == nil || !f.records.Markdown {
			continue
		}
		base, language := f.records.BasePath(f.below(), f.rules.Languages)
		p := &page{file: f, language: language, folder: f.records.IsFolderPage(f.below(), f.rules.Languages)}
		of.byFile[f.below()] = p
		of.byBase[base] = append(of.byBase[base], p)
	}
	l.pages[env] = of
	return of
}

// find returns the page that the target of a link names, or nil.
func (of *pages) find(language, target string) *page {
	if f := items.FormatOf(target); f != nil && f.Markdown {
		return of.file(language, target)
	}
	base := path.Clean(target)
	if base == "." {
		base = ""
	}
	return translated(of.byBase[base], language, strings.HasSuffix(target, "/"))
}

// file returns the page of a Markdown file, or its translation.
func (of *pages) file(language, target string) *page {
	named := of.byFile[target]
	if named != nil && named.language != "" {
		return named
	}
	base, _ := items.FormatOf(target).BasePath(target, nil)
	for _, p := range of.byBase[base] {
		if language != "" && p.language == language {
			return p
		}
	}
	return named
}

// translated returns the page in a language, or else the page without a language, or else the first. folder limits them
// to pages of folders.
func translated(found []*page, language string, folder bool) (best *page) {
	for _, p := range found {
		switch {
		case folder && !p.folder:
		case p.language == language:
			return p
		case best == nil, best.language != "" && p.language == "":
			best = p
		}
	}
	return best
}
