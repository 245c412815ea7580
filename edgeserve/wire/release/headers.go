// This file has the header fields that do not depend on the request. The edge and the
// web servers in front of it send the same fields.

package release

// Field values that are not configurable.
const (
	ContentType = "application/json"
	// Vary is the value for responses other than preflights.
	Vary = "Accept-Encoding"
	// AnyOrigin lets pages of all origins read responses.
	AnyOrigin = "*"
	// ExposeHeaders lists the fields that a page of another origin may read.
	ExposeHeaders = "ETag, Content-Length, Content-Range, Link, Retry-After, Allow, " + Header + ", " + RequestIDHeader
	// NoSniff keeps browsers from interpreting a response as markup.
	NoSniff = "nosniff"
	// AllowHeaders lets a page send any header field. The Fetch standard excludes
	// Authorization from the star. Some clients treat the star as a literal name, so
	// preflight responses also list the requested names.
	AllowHeaders = "*, Authorization"
	// RequestHeaders is the field in which a preflight lists the fields to send.
	RequestHeaders = "Access-Control-Request-Headers"
	// MaxRequestHeaders is the longest such list, in bytes, that a response repeats.
	MaxRequestHeaders = 1000
	PreflightVary     = Vary + ", " + RequestHeaders
	// PreflightAge lets browsers cache a preflight for a day, in seconds.
	PreflightAge = "86400"
	// RetryAfter is in seconds. Most overloads end within a second.
	RetryAfter = "1"
)

// CommonFields are in all responses but preflights, beside Cache-Control.
func CommonFields() [][2]string {
	return [][2]string{
		{"X-Content-Type-Options", NoSniff},
		{"Vary", Vary},
		{"Access-Control-Allow-Origin", AnyOrigin},
		{"Access-Control-Expose-Headers", ExposeHeaders},
	}
}

// Header fields that the interface defines.
const (
	// Header names a response's release. In a request it names the required release.
	Header          = "X-Release"
	RequestIDHeader = "X-Request-Id"
	// ContentErrorHeader tells why a preview serves older content. Only previews send it.
	ContentErrorHeader = "X-Content-Error"
)
