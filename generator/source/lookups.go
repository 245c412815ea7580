// This file finds out which items a file has, and by which values others name them.

package source

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/jsoncursor"
	"contentedge/generator/source/documents"
	"contentedge/generator/source/githistory"
	"contentedge/generator/source/items"
)

// answer sets who answers the Questions of items by rules.
func (f *Folder) answer(tree *Tree) {
	f.history.Begin(func(visit func(string)) {
		for i := range tree.Files {
			if tree.Files[i].records != nil {
				visit(tree.Files[i].Path)
			}
		}
	})
	tree.SetAnswerer(items.GitQuestion, func(ctx context.Context, q documents.Question) (string, error) {
		dates, ok, err := f.history.Dates(ctx, q.Env+"/"+q.Path)
		none, unavailable := errors.AsType[*githistory.Unavailable](err)
		if err != nil && !unavailable {
			return "", err
		}
		return items.GitAnswer(dates, ok, none), nil
	})
	l := &lookups{tree: tree, known: map[string]*fileItems{}, looked: map[string]*fileItems{}}
	if f.lookups != nil {
		l.known = f.lookups.looked
	}
	f.lookups = l
	tree.SetAnswerer(items.ReferenceQuestion, (&references{lookups: l, folders: map[string]*names{}}).answer)
	tree.SetAnswerer(documents.LinkQuestion, (&links{lookups: l, pages: map[string]*pages{}}).answer)
}

// lookups find the items of files for one Tree.
type lookups struct {
	tree  *Tree
	known map[string]*fileItems // of the Tree before, by path; it does not change

	mu     sync.Mutex            // guards what follows
	looked map[string]*fileItems // of this Tree
}

// fileItems are the items of a file, while the file is the same.
type fileItems struct {
	mu       sync.Mutex // guards what follows
	read     bool
	identity Identity
	rule     string
	asked    bool // the items depend on more than the file
	found    []items.Identity
}

// of returns the items of a file, which is read if it has changed. A file that cannot be read has no items: that is
// reported where it is loaded.
func (l *lookups) of(ctx context.Context, f *File) ([]items.Identity, error) {
	l.mu.Lock()
	of := l.looked[f.Path]
	if of == nil {
		if of = l.known[f.Path]; !of.current(f) {
			of = &fileItems{}
		}
		l.looked[f.Path] = of
	}
	l.mu.Unlock()
	of.mu.Lock()
	defer of.mu.Unlock()
	if of.read {
		return of.found, nil
	}
	if err := of.fill(ctx, l.tree, f); err != nil {
		return nil, notBlamed(err)
	}
	of.read = true
	return of.found, nil
}

// current reports whether a file still has the items of an earlier Tree.
func (of *fileItems) current(f *File) bool {
	return of != nil && of.read && !of.asked && of.rule == f.Rule && !of.identity.Young() && of.identity.Same(f.Identity())
}

// fill reads the items of a file.
func (of *fileItems) fill(ctx context.Context, tree *Tree, f *File) error {
	r, err := f.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	of.identity, of.rule = r.Identity(), f.Rule
	var failed error
	of.found, err = f.identities(r, func(q documents.Question) string {
		of.asked = true
		answer, err := tree.Answer(ctx, q)
		if err != nil {
			failed = err
		}
		return answer
	})
	return errors.Join(err, failed)
}

// notBlamed returns an error that is the system's; nil if the content is to blame.
func notBlamed(err error) error {
	var problem *Problem
	var fault *documents.FileFault
	if errors.As(err, &problem) || errors.As(err, &fault) {
		return nil
	}
	return err
}

// identities reads the identities of the items of a file.
func (f *File) identities(r *Reader, ask func(documents.Question) string) ([]items.Identity, error) {
	if f.Format.Lines {
		return f.identitiesOfLines(r)
	}
	text, err := r.All()
	if err == nil {
		text, err = documents.Decode(text)
	}
	if err != nil {
		return nil, err
	}
	if f.records != nil {
		return f.records.Identities(f.rules, f.Input(text, ask)), nil
	}
	reader := f.Format.NewReader()
	reader.Load(f.Input(text, nil))
	found := identityFinder{reader: reader}
	reader.Documents(&found)
	return found.list, nil
}

func (f *File) identitiesOfLines(r *Reader) ([]items.Identity, error) {
	parts, reader := documents.NewParts(r), f.Format.NewReader()
	found := identityFinder{reader: reader}
	for buf := []byte(nil); ; {
		text, err := parts.Next(buf)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if len(text) == 0 {
			return found.list, nil
		}
		reader.Load(f.Input(text, nil))
		reader.Documents(&found)
		buf = text
	}
}

// identityFinder finds the identities of items in our own shape: their ids and slugs.
type identityFinder struct {
	reader documents.Reader
	list   []items.Identity
}

// Document takes the id and the slug of an item.
func (f *identityFinder) Document(d documents.Document) {
	var item items.Identity
	for i := range d.Members {
		switch m := &d.Members[i]; string(jsoncursor.Unquote(m.Name)) {
		case address.FieldContentID:
			item.ID = string(jsoncursor.StringAt(m.Value, 0))
		case address.FieldData:
			if m.Value[0] == '{' {
				item.Names = slugs(m.Value)
			}
		}
	}
	if item.ID != "" {
		f.list = append(f.list, item)
	}
}

func slugs(data []byte) (found []string) {
	jsoncursor.Children(data, 0, func(name []byte, at int) int {
		if jsoncursor.Spells(name, items.SlugMember) {
			found = append(found, string(jsoncursor.StringAt(data, at)))
		}
		return jsoncursor.ValueEnd(data, at)
	})
	return found
}

// Fault passes over a fault, which is reported where the file is loaded.
func (f *identityFinder) Fault(int, string, string) {}

// Repeat passes over a finding.
func (f *identityFinder) Repeat(int, *documents.Kind, string) {}

// Media passes over a media file.
func (f *identityFinder) Media(int, string) {}

// Link passes over a link.
func (f *identityFinder) Link(int, string, documents.Target) {}

// IsField reports whether a member shows that an object is an item.
func (f *identityFinder) IsField(name []byte) bool {
	return slices.Contains(address.Fields[:], string(name))
}

// Stopped is always false.
func (f *identityFinder) Stopped() bool { return false }
