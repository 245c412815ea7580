// Package openapi describes the interface of a release as a document of OpenAPI 3.1: its routes, parameters, header
// fields and errors, and what the items of its templates hold.
//
// The names come from the tables that nodes read: address.Endpoints, the parameters of packages address and elastic,
// problem.All, the fields of package respond, the members and queries of package body, and the templates of the
// manifest. This package adds only the parts that the tables lack: texts and schemas for people and programs. A row of
// a table without a text fails TestOpenAPI.
//
//	operations.go  a text for each kind of address
//	parameters.go  a text and a schema for each parameter
//	headers.go     a text for each header field
//	problems.go    which operations may answer with which error
//	schemas.go     items, lists and errors
//	items.go       the templates of a release
//	search.go      the body of a search
//	elastic.go     the bodies and responses of Elasticsearch's endpoints
//	size.go        how long a document may be
//	json.go        objects whose members keep their order
package openapi

import (
	"fmt"
	"strings"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/release"
)

// version is the version of OpenAPI.
const version = "3.1.0"

// Document describes the interface of some environments of a release.
type Document struct {
	build        string
	environments []release.Environment // nil: the document names no environment
}

// New returns the document of a release, or of one environment unless env is "". The error names an environment that the
// release does not have.
func New(m *release.Manifest, env string) (*Document, error) {
	if env == "" {
		return &Document{build: m.Build, environments: m.Environments}, nil
	}
	e := m.Environment(env)
	if e == nil {
		return nil, fmt.Errorf("the release has no environment %q", env)
	}
	return &Document{build: m.Build, environments: []release.Environment{*e}}, nil
}

// Generic returns the document of a release that names no environment, template or field of its content.
func Generic(build string) *Document { return &Document{build: build} }

// Append appends the document as JSON, indented for people.
func (d *Document) Append(dst []byte) []byte {
	return object{
		{"openapi", version},
		{"info", object{
			{"title", "Content delivery"},
			{"summary", "Items, lists and searches of a release"},
			{"version", "1"},
			{"description", about},
			{"x-build", d.build},
		}},
		{"servers", []any{object{{"url", "/"}}}},
		{"tags", tags()},
		{"paths", paths()},
		{"components", object{
			{"parameters", d.sharedParameters()},
			{"headers", headers()},
			{"responses", append(sharedResponses(), problemResponses()...)},
			{"schemas", d.schemas()},
		}},
	}.appendTo(dst)
}

const about = "Every `GET` works as `HEAD` too, and every address answers `OPTIONS`. Nothing needs a key. Pages of all origins may read responses, unless the operator names origins.\n\n" +
	"A walk through pages stays in one release if it sends the `" + httpfield.Release + "` of the first page with the others: a 412 says that the release has changed.\n\n" +
	"Unknown parameters are ignored, unless they are surely a mistake or the operator has them refused; Elasticsearch's endpoints always refuse them. A parameter without a value counts as absent."

// paths holds the operations by path.
func paths() (all object) {
	for _, e := range address.Endpoints() {
		all = append(all, member{pathOf(e.Pattern), pathItem(e)})
	}
	return all
}

// pathOf is a pattern of the table of routes as a path of OpenAPI.
func pathOf(pattern string) string {
	parts := strings.Split(pattern, "/")
	for i, part := range parts {
		if name := variable(part); name != "" {
			parts[i] = "{" + name + "}"
		}
	}
	return strings.Join(parts, "/")
}

// variable is the name of the parameter that stands for a component of a pattern, or "".
func variable(component string) string {
	switch {
	case component == "*":
		return "rest"
	case component == ":envs": // this document names one
		return "env"
	case strings.HasPrefix(component, ":"):
		return component[1:]
	}
	return ""
}

func pathItem(e address.Endpoint) (item object) {
	if of := pathParameters(e); of != nil {
		item = append(item, member{"parameters", of})
	}
	get := e
	if e.ForGET != 0 {
		get.Kind = e.ForGET
	}
	item = append(item, member{"get", describe(get, false)})
	if address.Takes(e.Allow, "POST") {
		item = append(item, member{"post", describe(e, true)})
	}
	return item
}

// describe describes the GET or the POST of an endpoint.
func describe(e address.Endpoint, post bool) object {
	text := operations[e.Kind]
	id := text.id
	if post && e.ForGET == 0 {
		id += "ByPost"
	}
	if !isUsual(e) {
		id += "Alternative"
	}
	o := object{{"operationId", id}, {"tags", []string{tagOf(e.Kind)}}, {"summary", text.summary}}
	if text.description != "" {
		o = append(o, member{"description", text.description})
	}
	if of := parametersOf(e); len(of) > 0 {
		o = append(o, member{"parameters", of})
	}
	if post {
		o = append(o, member{"requestBody", bodyOf(e.Kind)})
	}
	return append(o, member{"responses", responsesOf(e, post)})
}

// isUsual reports whether a row of the table of routes has the usual pattern of its kind, as the last row has it.
func isUsual(e address.Endpoint) bool {
	usual := ""
	for _, row := range address.Endpoints() {
		if row.Kind == e.Kind || row.ForGET == e.Kind {
			usual = row.Pattern
		}
	}
	return e.Pattern == usual
}
