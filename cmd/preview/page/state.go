// This file serves the state: the release and the view that are served now.

package page

import (
	"runtime/metrics"
	"time"

	"contentedge/edgeserve/leftout"
)

// state is what the page shows at first.
type state struct {
	View         View          `json:"view"`
	Clock        time.Time     `json:"clock"` // that decides what a visitor sees
	Building     bool          `json:"building"`
	Ready        bool          `json:"ready"`  // a release is served
	Served       *View         `json:"served"` // that the release was built with: another than View after a build that failed
	Build        *Build        `json:"build"`  // the last one; nil before it ended
	Environments []Environment `json:"environments"`
	Memory       memory        `json:"memory"`
	Content      string        `json:"content"`
	Refused      []string      `json:"refusedOrigins"` // whose pages may not read responses
	Sequence     string        `json:"sequence"`       // the id of the last event that the state has in it
}

// Environment is an environment of the served release.
type Environment struct {
	ID        string        `json:"id"`
	Items     int           `json:"items"`
	Templates []Template    `json:"templates"`
	LeftOut   leftout.Rules `json:"leftOut"` // of the paths that searches do not see
}

// Template counts an environment's items of a template, in all and by status.
type Template struct {
	Name     string         `json:"name"`
	Items    int            `json:"items"`
	Statuses map[string]int `json:"statuses"`
}

// memory is in bytes.
type memory struct {
	Process int64 `json:"process"` // of the process, mapped files aside
	Kept    int64 `json:"kept"`    // what is kept between builds, of that
}

func (p *Page) sendState(r *request) *apiError {
	p.mu.Lock()
	s := p.state()
	p.mu.Unlock()
	sendJSON(r.RequestCtx, s)
	return nil
}

// state is for callers that hold mu.
func (p *Page) state() state {
	s := state{
		View: p.view, Clock: time.Now().UTC(), Building: p.builds.building, Ready: p.served.release != "", Environments: p.served.environments,
		Memory: memory{processMemory(), p.cfg.Site.Memory()}, Content: p.cfg.Content, Refused: append([]string{}, p.refused...), Sequence: p.events.id(p.events.last),
	}
	if p.view.At != nil {
		s.Clock = *p.view.At
	}
	if s.Ready {
		served := p.served.view
		s.Served = &served
	}
	if b := p.builds.newest(); b != nil {
		cut := b.cut(maxListed)
		s.Build = &cut
	}
	if s.Environments == nil {
		s.Environments = []Environment{}
	}
	return s
}

// processMemory is the bytes that Go's runtime has from the system.
func processMemory() int64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return int64(samples[0].Value.Uint64() - samples[1].Value.Uint64())
}
