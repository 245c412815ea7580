// This file answers which item of a folder has an id or a slug.

package source

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"contentedge/generator/source/documents"
	"contentedge/generator/source/items"
)

// references find items by values for one Tree.
type references struct {
	*lookups

	mu      sync.Mutex // guards folders
	folders map[string]*names
}

// names are the items of a folder by the values that name them.
type names struct{ byValue map[string][]named }

// named is an item with its file.
type named struct{ id, file, language string }

// answer returns the id of the item that a value names, or "".
func (r *references) answer(ctx context.Context, q documents.Question) (string, error) {
	folder, language, value := items.CutReferenceKey(q.Key)
	r.mu.Lock()
	defer r.mu.Unlock()
	key := q.Env + "/" + folder
	of := r.folders[key]
	if of == nil {
		var err error
		if of, err = r.read(ctx, q.Env, key); err != nil {
			return "", err
		}
		r.folders[key] = of
	}
	switch found := translations(of.byValue[value], language); len(found) {
	case 0:
		return "", nil
	case 1:
		return found[0].id, nil
	default:
		return items.Several + several(found), nil
	}
}

// translations returns the items in a language, or else the items without a language, or else all.
func translations(found []named, language string) []named {
	for _, want := range []string{language, ""} {
		var in []named
		for _, n := range found {
			if n.language == want {
				in = append(in, n)
			}
		}
		if len(in) > 0 {
			return in
		}
	}
	return found
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
func (r *references) read(ctx context.Context, env, folder string) (*names, error) {
	all := &names{map[string][]named{}}
	for i := range r.tree.Files {
		f := &r.tree.Files[i]
		if f.Env != env || !strings.HasPrefix(f.Path, folder+"/") && strings.TrimSuffix(f.Path, path.Ext(f.Path)) != folder {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		found, err := r.of(ctx, f)
		if err != nil {
			return nil, err
		}
		for _, item := range found {
			all.add(item.ID, named{item.ID, f.Name, item.Language})
			for _, name := range item.Names {
				all.add(name, named{item.ID, f.Name, item.Language})
			}
		}
	}
	return all, nil
}

func (n *names) add(value string, item named) {
	if value == "" || slices.ContainsFunc(n.byValue[value], func(o named) bool { return o.id == item.id }) {
		return
	}
	n.byValue[value] = append(n.byValue[value], item)
}
