// This file serves an item's source and references, and the kinds of values of a path.

package page

import (
	"fmt"
	"strings"
	"time"

	"contentedge/cmd/preview/richtext"
	"contentedge/generator/jsontree"
)

type itemAnswer struct {
	ID              string            `json:"id"`
	Name            string            `json:"name"`
	Template        string            `json:"template"`
	Status          string            `json:"status"`
	File            string            `json:"file"`
	Line            int               `json:"line"`
	References      []referenceAnswer `json:"references"`
	Texts           []textAnswer      `json:"texts"` // rich texts
	ReferredBy      []referrerAnswer  `json:"referredBy"`
	ReferredByTotal int               `json:"referredByTotal"`
}

type textAnswer struct {
	At     string `json:"at"` // a JSON pointer
	Format string `json:"format"`
	As     string `json:"as"` // what the document of the text is asked for as
	Lines  int    `json:"lines"`
}

// maxTree bounds the JSON of an item that becomes a tree, in bytes: a tree takes some twenty times as many.
const maxTree = 4 << 20

// tree returns the JSON of an item. A longer item is an empty tree: its texts are shown as they are written.
func (p *Page) tree(env, id string) (item *jsontree.Value, ok bool) {
	text, ok := p.cfg.Site.Text(env, id)
	if !ok || len(text) > maxTree {
		return nil, ok
	}
	item, err := jsontree.Parse(text)
	return item, err == nil
}

// texts lists the rich texts of an item; none of one that cannot be read.
func (p *Page) texts(env, id string) []textAnswer {
	list := []textAnswer{}
	item, ok := p.tree(env, id)
	if !ok {
		return list
	}
	for _, t := range richtext.Find(item) {
		a := textAnswer{At: t.Pointer, Format: string(t.Format), Lines: t.Lines}
		if t.Format == richtext.Markdown {
			a.As = asMarkdown
		}
		list = append(list, a)
	}
	return list
}

type referrerAnswer struct {
	Path     string `json:"path"`
	ID       string `json:"id"`
	Name     string `json:"name"`
	Template string `json:"template"`
}

type referenceAnswer struct {
	referrerAnswer
	Exists bool `json:"exists"` // the release has it
}

func (p *Page) sendItem(r *request, env, id string) *apiError {
	i, ok := p.cfg.Site.Item(env, id)
	if !ok {
		return p.hiddenItem(r, env, id)
	}
	a := itemAnswer{ID: i.ID, Name: i.Name, Template: i.Template, Status: i.Status, File: i.File, Line: i.Line,
		Texts: p.texts(env, id), References: []referenceAnswer{}, ReferredBy: []referrerAnswer{}, ReferredByTotal: i.ReferredByTotal}
	for _, ref := range i.References {
		a.References = append(a.References, referenceAnswer{referrerAnswer{ref.Path, ref.ID, ref.Name, ref.Template}, ref.Exists})
	}
	for _, ref := range i.ReferredBy {
		a.ReferredBy = append(a.ReferredBy, referrerAnswer{ref.Path, ref.ID, ref.Name, ref.Template})
	}
	sendJSON(r.RequestCtx, a)
	return nil
}

// hiddenItem is the error for an item that the view does not show. It says why if the content has the item.
func (p *Page) hiddenItem(r *request, env, id string) *apiError {
	p.mu.Lock()
	view := p.view
	p.mu.Unlock()
	found, err := p.cfg.Site.Explain(r.RequestCtx, view.Selection(time.Now()), env, id)
	if err != nil || len(found.Items) == 0 {
		return errItem
	}
	e := &found.Items[0]
	why := *errItem
	why.Hint = fmt.Sprintf("%s; %s:%d", strings.Join(e.Lines(), "; "), e.File, e.Line)
	return &why
}

type fieldAnswer struct {
	Path      string        `json:"path"`
	Kind      string        `json:"kind"`
	SubFields []string      `json:"subFields"`
	Items     int           `json:"items"`
	Mixed     []mixedAnswer `json:"mixed"`
}

type mixedAnswer struct {
	Kind   string `json:"kind"`
	Items  int    `json:"items"`
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	ID     string `json:"id"`
}

func (p *Page) sendFields(r *request, env string) *apiError {
	list := []fieldAnswer{}
	for _, f := range p.cfg.Site.Fields(env) {
		a := fieldAnswer{Path: f.Path, Kind: f.Kind, SubFields: atMost(f.SubFields, len(f.SubFields)), Items: f.Items, Mixed: []mixedAnswer{}}
		for _, m := range f.Mixed {
			a.Mixed = append(a.Mixed, mixedAnswer{m.Kind, m.Values, m.File, m.Line, m.Column, m.ID})
		}
		list = append(list, a)
	}
	sendJSON(r.RequestCtx, list)
	return nil
}
