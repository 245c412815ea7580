// This file has the texts of header fields. The fields of a response come from package respond.

package openapi

import (
	"contentedge/edgeserve/engine/respond"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/release"
)

// responseHeaders are the texts of the header fields of responses, by the names that a document has.
var responseHeaders = object{
	{httpfield.ETag, "Names the bytes of the body. The same on every node for the same bytes."},
	{httpfield.CacheControl, "How long caches may have the response. The operator may change the value."},
	{httpfield.Vary, "The request fields that the response depends on."},
	{httpfield.ContentEncoding, "`br`, `zstd` or `gzip`, if the client accepts it."},
	{httpfield.AcceptRanges, "A request may ask for a range of the body."},
	{httpfield.ContentRange, "The range that the body is, or the length of the body for a range that it does not have."},
	{httpfield.Link, "The first, previous, next and last page, relative to the address of the request. Left out if it would be long. With `select`, `include` or paths of `Data` the response itself comes first."},
	{httpfield.Release, "The release that the response is from."},
	{httpfield.RequestID, "The request in the server's log."},
	{httpfield.RetryAfter, "The seconds after which the same request may succeed."},
	{httpfield.Allow, "The methods of the address."},
	{httpfield.AllowOrigin, "The origins whose pages may read the response."},
	{httpfield.ExposeHeaders, "The fields that a page of another origin may read."},
	{httpfield.ContentTypeOptions, "Browsers do not guess another content type."},
	{httpfield.ElasticProduct, "Clients of Elasticsearch ask for it."},
	{httpfield.ContentSecurityPolicy, "What a browser may do with the file if it is opened as a page."},
	{httpfield.ContentDisposition, "Browsers save the file instead of showing it."},
}

// headers are the components that operations refer to.
func headers() (all object) {
	for _, h := range responseHeaders {
		text := object{{"description", h.value}, {"schema", object{{"type", "string"}}}}
		all = append(all, member{h.name, text})
	}
	return all
}

// headersOf are the header fields that a 200 of a kind may have.
func headersOf(k address.Kind) (of object) {
	for _, name := range fieldsOf(k) {
		of = append(of, member{name, to("headers", name)})
	}
	return of
}

func fieldsOf(k address.Kind) (names []string) {
	if k.Group() == address.Probes {
		return append(refusedFields(), httpfield.Release)
	}
	shared := respond.NewFields(release.Standard(), []string{release.AnyOrigin}).ForContent()
	fields := shared.Of(release.ClassOf(k), k.IsElastic())
	if k == address.Media {
		fields, _ = shared.OfMedia(".pdf")
	}
	names = append(names, httpfield.ETag, httpfield.ContentEncoding)
	if k.Group() == address.Lists || k == address.Item { // of an item with parameters: itself
		names = append(names, httpfield.Link)
	}
	names = append(names, httpfield.Release)
	for _, f := range fields {
		names = append(names, f.Name())
	}
	return names
}

// refusedFields are the names of the header fields of all errors.
func refusedFields() (names []string) {
	policy := release.Standard()
	for _, f := range append(policy.Fields(release.ClassError, release.Vary), release.OriginFields(release.AnyOrigin)...) {
		names = append(names, f.Name())
	}
	return names
}

// requestHeaders are the request fields that change a response, with their texts.
var requestHeaders = object{
	{httpfield.Release, "The only release that the response may be from; another one is a 412."},
	{httpfield.IfNoneMatch, "The `ETag` of a body that the client has: 304 if the address still has it."},
	{httpfield.IfMatch, "The `ETag` of the only body that the client accepts; another one is a 412."},
	{httpfield.Range, "One range of the body, such as `bytes=0-999`."},
	{httpfield.IfRange, "The `ETag` that a range belongs to; the whole body if it is another one."},
}

// requestHeadersOf are the request fields that an endpoint reads.
func requestHeadersOf(e address.Endpoint) (of []object) {
	if e.Group == address.Probes {
		return nil
	}
	for _, h := range requestHeaders {
		of = append(of, to("parameters", h.name))
	}
	return of
}
