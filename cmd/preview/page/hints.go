// This file tells what a request may have meant: unknown parameters, fields that no item has.

package page

import "contentedge/generator/hints"

// maxHintName is in bytes; longer names are shortened.
const maxHintName = 200

// IgnoredParameters returns hints about the parameters of a list that do not exist.
func IgnoredParameters(rawQuery string) []hints.Hint {
	return shortened(hints.IgnoredParameters(rawQuery))
}

// IgnoredSearchParameters returns hints about the parameters of a search that do not exist.
func IgnoredSearchParameters(rawQuery string) []hints.Hint {
	return shortened(hints.IgnoredSearchParameters(rawQuery))
}

// shortened shortens the texts of hints.
func shortened(all []hints.Hint) []hints.Hint {
	for i := range all {
		h := &all[i]
		h.Name, h.Meant, h.LeftOut = shorten(h.Name, maxHintName), shorten(h.Meant, maxHintName), shorten(h.LeftOut, maxHintName)
	}
	return all
}

// UnknownFields returns hints about a search's fields that no item has; none for an invalid body.
func (p *Page) UnknownFields(env string, raw []byte) []hints.Hint {
	return p.unknown(env, func() ([]string, bool) { return hints.FieldsOf(raw) })
}

// UnknownPaths returns hints about a list's paths of Data that no item has; none for an invalid list.
func (p *Page) UnknownPaths(env, rawQuery string) []hints.Hint {
	return p.unknown(env, func() ([]string, bool) { return hints.PathsOf(rawQuery) })
}

func (p *Page) unknown(env string, read func() ([]string, bool)) []hints.Hint {
	asked, ok := read()
	if !ok {
		return []hints.Hint{}
	}
	return shortened(hints.Unknown(asked, p.knownNames(env), p.cfg.Site.LeftOut(env)))
}

// knownNames are an environment's paths, then their sub-fields, listed once for each build.
func (p *Page) knownNames(env string) (names []string) {
	p.mu.Lock()
	listed := p.served.names
	p.mu.Unlock()
	if known, ok := listed.Load(env); ok {
		return known.([]string)
	}
	for _, f := range p.cfg.Site.Fields(env) {
		names = hints.WithSubFields(names, f.Path, f.SubFields)
	}
	if names != nil {
		listed.Store(env, names)
	}
	return names
}

func (p *Page) sendIgnored(r *request, env string) *apiError {
	sendJSON(r.RequestCtx, struct {
		Ignored       []hints.Hint `json:"ignored"`
		UnknownFields []hints.Hint `json:"unknownFields"`
	}{IgnoredParameters(r.query), p.UnknownPaths(env, r.query)})
	return nil
}

func (p *Page) sendUnknown(r *request, env string) *apiError {
	sendJSON(r.RequestCtx, struct {
		UnknownFields []hints.Hint `json:"unknownFields"`
	}{p.UnknownFields(env, r.Request.Body())})
	return nil
}
