// This file serves an item's source and references, and the kinds of values of a path.

package page

type itemAnswer struct {
	ID              string            `json:"id"`
	Name            string            `json:"name"`
	Template        string            `json:"template"`
	Status          string            `json:"status"`
	File            string            `json:"file"`
	Line            int               `json:"line"`
	References      []referenceAnswer `json:"references"`
	ReferredBy      []referrerAnswer  `json:"referredBy"`
	ReferredByTotal int               `json:"referredByTotal"`
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
		return errItem
	}
	a := itemAnswer{ID: i.ID, Name: i.Name, Template: i.Template, Status: i.Status, File: i.File, Line: i.Line,
		References: []referenceAnswer{}, ReferredBy: []referrerAnswer{}, ReferredByTotal: i.ReferredByTotal}
	for _, ref := range i.References {
		a.References = append(a.References, referenceAnswer{referrerAnswer{ref.Path, ref.ID, ref.Name, ref.Template}, ref.Exists})
	}
	for _, ref := range i.ReferredBy {
		a.ReferredBy = append(a.ReferredBy, referrerAnswer{ref.Path, ref.ID, ref.Name, ref.Template})
	}
	sendJSON(r.RequestCtx, a)
	return nil
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
