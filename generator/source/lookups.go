// This file answers what items by rules ask: the dates that git has of a file, and which item of a
// folder has an id or a slug.

package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"sync"

	"contentedge/edgeserve/wire/address"
	"contentedge/generator/source/documents"
	"contentedge/generator/source/githistory"
	"contentedge/generator/source/items"
	"contentedge/generator/source/jsonscan"
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
	l := &lookups{tree: tree, folders: map[string]*names{}, known: map[string]*fileNames{}, looked: map[string]*fileNames{}}
	if f.lookups != nil {
		l.known = f.lookups.looked
	}
	f.lookups = l
	tree.SetAnswerer(items.ReferenceQuestion, l.answer)
}

// lookups find items by values for one Tree.
type lookups struct {
	tree  *Tree
	known map[string]*fileNames // of the Tree before, by path

	mu      sync.Mutex // guards what follows
	folders map[string]*names
	looked  map[string]*fileNames // of this Tree
}

// names are the items of a folder by the values that name them.
type names struct{ byValue map[string][]named }

// named is an item with its file.
type named struct{ id, file string }

// fileNames are the items of a file by the values that name them, while the file is the same.
type fileNames struct {
	identity Identity
	rule     string
	found    []items.Identity
}

// answer returns the id of the item that a value names; "" if there is none.
func (l *lookups) answer(ctx context.Context, q documents.Question) (string, error) {
	folder, value, _ := strings.Cut(q.Key, "\n")
	l.mu.Lock()
	defer l.mu.Unlock()
	key := q.Env + "/" + folder
	of := l.folders[key]
	if of == nil {
		var err error
		if of, err = l.read(ctx, q.Env, key); err != nil {
			return "", err
		}
		l.folders[key] = of
	}
	switch found := of.byValue[value]; len(found) {
	case 0:
		return "", nil
	case 1:
		return found[0].id, nil
	default:
		return items.Several + several(found), nil
	}
}

// several names the files of items.
func several(found []named) string {
	const shown = 3
	var list []string
	for _, n := range found[:min(len(found), shown)] {
		list = append(list, Show(n.file))
	}
	text := strings.Join(list, ", ")
	if more := len(found) - len(list); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// read reads the names of the items of a folder, or of the file with that path without its extension.
func (l *lookups) read(ctx context.Context, env, folder string) (*names, error) {
	all := &names{map[string][]named{}}
	for i := range l.tree.Files {
		f := &l.tree.Files[i]
		if f.Env != env || !strings.HasPrefix(f.Path, folder+"/") && strings.TrimSuffix(f.Path, path.Ext(f.Path)) != folder {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		found, err := l.of(f)
		if err != nil {
			return nil, err
		}
		for _, item := range found {
			all.add(item.ID, item.ID, f.Name)
			for _, name := range item.Names {
				all.add(name, item.ID, f.Name)
			}
		}
	}
	return all, nil
}

func (n *names) add(value, id, file string) {
	if value == "" || slices.ContainsFunc(n.byValue[value], func(o named) bool { return o.id == id }) {
		return
	}
	n.byValue[value] = append(n.byValue[value], named{id, file})
}

// of returns the names of the items of a file, which is read if it has changed. A file that cannot be read
// has none: that is reported where it is loaded.
func (l *lookups) of(f *File) ([]items.Identity, error) {
	known := l.looked[f.Path]
	if known == nil {
		known = l.known[f.Path]
	}
	if known != nil && known.rule == f.Rule && !known.identity.Young() && known.identity.Same(f.Identity()) {
		l.looked[f.Path] = known
		return known.found, nil
	}
	r, err := f.Open()
	if err != nil {
		return nil, notBlamed(err)
	}
	defer r.Close()
	known = &fileNames{identity: r.Identity(), rule: f.Rule}
	if known.found, err = f.identities(r); err != nil {
		return nil, notBlamed(err)
	}
	l.looked[f.Path] = known
	return known.found, nil
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
func (f *File) identities(r *Reader) ([]items.Identity, error) {
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
		return f.records.Identities(f.rules, f.Input(text, nil)), nil
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
		switch m := &d.Members[i]; string(jsonscan.Unquote(m.Name)) {
		case address.FieldContentID:
			item.ID = string(jsonscan.StringAt(m.Value, 0))
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
	jsonscan.Children(data, 0, func(name []byte, at int) int {
		if jsonscan.Spells(name, items.SlugMember) {
			found = append(found, string(jsonscan.StringAt(data, at)))
		}
		return jsonscan.ValueEnd(data, at)
	})
	return found
}

// Fault passes over a fault, which is reported where the file is loaded.
func (f *identityFinder) Fault(int, string, string) {}

// Repeat passes over a finding.
func (f *identityFinder) Repeat(int, *documents.Kind, string) {}

// Media passes over a media file.
func (f *identityFinder) Media(int, string) {}

// IsField reports whether a member shows that an object is an item.
func (f *identityFinder) IsField(name []byte) bool {
	return slices.Contains(address.Fields[:], string(name))
}

// Stopped is always false.
func (f *identityFinder) Stopped() bool { return false }
