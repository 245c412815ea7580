// This file serves the document of OpenAPI. The part of the page that shows it is assets/reference.js.

package page

import (
	"net/url"

	"contentedge/edgeserve/wire/release"
)

// openapiPath is where tools look for a document of OpenAPI.
const openapiPath = "/openapi.json"

// sendOpenAPI sends the document of the current release, or with the parameter env of one of its environments.
func (p *Page) sendOpenAPI(r *request) *apiError {
	values, err := url.ParseQuery(r.query)
	env := values.Get("env")
	if err != nil || env != "" && !p.hasEnvironment(env) {
		return errEnvironment
	}
	document, err := p.cfg.Describe(env)
	if err != nil {
		return errNoRelease
	}
	r.SetContentType(release.ContentType)
	r.Response.SetBodyRaw(document)
	return nil
}
