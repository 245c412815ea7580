// This file has the header fields that do not depend on the request. The edge and the
// web servers in front of it send the same fields.

package release

import "contentedge/edgeserve/wire/httpfield"

// Field values that are not configurable.
const (
	ContentType = "application/json"
	// Vary is the value for responses other than preflights.
	Vary = httpfield.AcceptEncoding
	// AnyOrigin lets pages of all origins read responses.
	AnyOrigin = "*"
	// ExposeHeaders lists the fields that a page of another origin may read.
	ExposeHeaders = "ETag, " + httpfield.ContentLength + ", " + httpfield.ContentRange + ", " + httpfield.Link + ", " +
		httpfield.RetryAfter + ", " + httpfield.Allow + ", " + httpfield.Release + ", " + httpfield.RequestID + ", " + httpfield.Approximate
	// NoSniff keeps browsers from interpreting a response as markup.
	NoSniff = "nosniff"
	// AllowHeaders lets a page send any header field. The Fetch standard excludes
	// Authorization from the star. Some clients treat the star as a literal name, so
	// preflight responses also list the requested names.
	AllowHeaders = "*, Authorization"
	// MaxRequestHeaders is the longest Access-Control-Request-Headers, in bytes, that a response
	// repeats.
	MaxRequestHeaders = 1000
	// preflightAge lets browsers cache a preflight for a day, in seconds.
	preflightAge = "86400"
	// RetryAfter is in seconds. Most overloads end within a second.
	RetryAfter = "1"
)

// OriginFields let pages of an origin read a response.
func OriginFields(origin string) []httpfield.Field {
	return []httpfield.Field{httpfield.New(httpfield.AllowOrigin, origin), httpfield.New(httpfield.ExposeHeaders, ExposeHeaders)}
}

// Fields are the header fields of all responses of a class, except OriginFields. vary lists the request fields that
// responses depend on.
func (p *Policy) Fields(c Class, vary string) []httpfield.Field {
	return []httpfield.Field{
		httpfield.New(httpfield.ContentTypeOptions, NoSniff),
		httpfield.New(httpfield.Vary, vary),
		httpfield.New(httpfield.CacheControl, p.CacheControl(c)),
	}
}

// PreflightVary is the Vary value of preflight responses. vary is the value of other responses.
func PreflightVary(vary string) string { return vary + ", " + httpfield.RequestHeaders }

// PreflightFields allow a page to send the methods and the header fields that the values list.
func PreflightFields(methods, headers string) []httpfield.Field {
	return []httpfield.Field{
		httpfield.New(httpfield.AllowMethods, methods),
		httpfield.New(httpfield.AllowHeaders, headers),
		httpfield.New(httpfield.MaxAge, preflightAge),
	}
}
