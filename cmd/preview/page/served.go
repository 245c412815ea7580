// This file holds the release that is served, and the view that each release was built with.

package page

import (
	"slices"
	"strings"
	"sync"

	"contentedge/edgeserve/wire/httpfield"
	"contentedge/generator"

	"github.com/valyala/fasthttp"
)

const viewHeader = "X-Preview-View"

// served is the release that is served. Page.mu guards it.
type served struct {
	release      string // releasePartial or releaseWhole; empty before the first
	view         View   // the release was built with
	environments []Environment
	names        *sync.Map     // of fields, by environment; filled when first needed
	views        []releaseView // of the served release and the one that is opened, the newest first
}

// releaseView is the view that a release was built with.
type releaseView struct{ build, view string }

// Opening tells that a build's release is about to be served.
func (p *Page) Opening(build string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.served.views = slices.Insert(p.served.views, 0, releaseView{build, p.view.header()})
	p.served.views = atMost(p.served.views, 2)
}

// Describe adds the view to a response.
func (p *Page) Describe(resp *fasthttp.ResponseHeader) {
	resp.Set(viewHeader, p.viewOf(string(resp.Peek(httpfield.Release))))
	if exposed := string(resp.Peek(httpfield.ExposeHeaders)); exposed != "" && !strings.HasSuffix(exposed, viewHeader) {
		resp.Set(httpfield.ExposeHeaders, exposed+", "+viewHeader)
	}
}

// viewOf is the view of a release; "" stands for a response without one.
func (p *Page) viewOf(build string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, v := range p.served.views {
		if v.build == build {
			return v.view
		}
	}
	return p.view.header()
}

func (p *Page) hasEnvironment(id string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(p.served.environments, func(e Environment) bool { return e.ID == id })
}

func (p *Page) environments(r *generator.Report) []Environment {
	list := make([]Environment, len(r.Environments))
	for i, e := range r.Environments {
		list[i] = Environment{ID: e.ID, Items: e.Items, Templates: []Template{}, LeftOut: p.cfg.Site.LeftOut(e.ID)}
		for _, t := range p.cfg.Site.Templates(e.ID) {
			list[i].Templates = append(list[i].Templates, Template(t))
		}
	}
	return list
}
