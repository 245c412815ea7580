// This file prints differences while they are found, as there may be more than fit in memory.

package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"

	"contentedge/edgeserve/terminal"
	"contentedge/generator/diff"
)

type diffItem struct {
	Kind diff.Kind `json:"kind"`
	Env  string    `json:"environment"`
	ID   string    `json:"id"`
	Name string    `json:"name,omitempty"`
}

// diffPrinter prints a difference. It gets the items by environment and id, or by the method other all
// files; then, with --files, by the method file all files again; then the summary.
type diffPrinter interface {
	wantsNames() bool // of items; otherwise other gets their files
	item(diffItem) error
	other(diff.File) error
	file(diff.File) error
	end(*diff.Summary)
}

// written returns the error of an earlier write.
func written(w *bufio.Writer) error {
	_, err := w.Write(nil)
	return err
}

type diffText struct {
	w   *bufio.Writer
	env string // the environment of the item that was printed last
}

func (p *diffText) wantsNames() bool { return true }

func (p *diffText) item(i diffItem) error {
	if i.Env != p.env {
		p.env = i.Env
		fmt.Fprintln(p.w, i.Env)
	}
	fmt.Fprintf(p.w, "  %-7s %s", i.Kind, i.ID)
	if i.Name != "" {
		fmt.Fprintf(p.w, "  %s", terminal.Text(i.Name))
	}
	fmt.Fprintln(p.w)
	return written(p.w)
}

func (p *diffText) other(diff.File) error { return nil }

func (p *diffText) file(f diff.File) error {
	fmt.Fprintf(p.w, "%-7s %s\n", f.Kind, f.Name)
	return written(p.w)
}

func (p *diffText) end(s *diff.Summary) {
	if s.Old == s.New && s.OldManifest == s.NewManifest {
		fmt.Fprintf(p.w, "%s: no difference\n", s.Old)
		return
	}
	for _, out := range s.LeftOut {
		fmt.Fprintf(p.w, "%s: searches leave out %s; before %s\n", out.Env, cmp.Or(terminal.Text(out.New.String()), "nothing"), cmp.Or(terminal.Text(out.Old.String()), "nothing"))
	}
	if s.NewManifest != "" {
		fmt.Fprintf(p.w, "manifest of %s: %s\n", s.New, digestText(s.NewManifest))
	}
	fmt.Fprintf(p.w, "%s -> %s: items added %d, changed %d, removed %d; files added %d, changed %d, removed %d\n",
		cmp.Or(s.Old, "nothing"), cmp.Or(s.New, "nothing"), s.Items.Added, s.Items.Changed, s.Items.Removed, s.Added, s.Changed, s.Removed)
	if s.Requests > 0 {
		fmt.Fprintf(p.w, "publish would take %d requests\n", s.Requests)
	}
}

// diffJSON prints one object in parts: an array of items, one of files, the summary's members.
type diffJSON struct {
	w     *bufio.Writer
	files bool   // print an array of files, even an empty one
	array string // the array that is open
	n     int    // the elements in it
}

func (p *diffJSON) wantsNames() bool { return true }

func (p *diffJSON) element(array string, v any) error {
	if p.array != array {
		p.open(array)
	}
	if p.n > 0 {
		p.w.WriteByte(',')
	}
	p.n++
	b, _ := json.Marshal(v) // texts can always be encoded
	p.w.Write(terminal.Source(b))
	return written(p.w)
}

func (p *diffJSON) open(array string) {
	if p.array == "" {
		p.w.WriteByte('{')
	} else {
		p.w.WriteString("],")
	}
	fmt.Fprintf(p.w, "%q:[", array)
	p.array, p.n = array, 0
}

func (p *diffJSON) item(i diffItem) error { return p.element("items", i) }

func (p *diffJSON) other(diff.File) error { return nil }

func (p *diffJSON) file(f diff.File) error {
	if p.array == "" {
		p.open("items")
	}
	return p.element("files", f)
}

func (p *diffJSON) end(s *diff.Summary) {
	if p.array == "" {
		p.open("items")
	}
	if p.files && p.array == "items" {
		p.open("files")
	}
	b, _ := json.Marshal(s)
	fmt.Fprintf(p.w, "],%s\n", terminal.Source(b[1:]))
}

type diffPurge struct {
	w    *bufio.Writer
	last string // the key of the item before
}

func (p *diffPurge) wantsNames() bool { return false }

func (p *diffPurge) item(diffItem) error { return nil }

func (p *diffPurge) other(f diff.File) error {
	io.WriteString(p.w, lines(f.URLs))
	if f.OfItem() && f.Key != p.last { // the summary has the other keys
		fmt.Fprintln(p.w, f.Key)
		p.last = f.Key
	}
	return written(p.w)
}

func (p *diffPurge) file(diff.File) error { return nil }

func (p *diffPurge) end(s *diff.Summary) { io.WriteString(p.w, lines(s.Keys)) }
