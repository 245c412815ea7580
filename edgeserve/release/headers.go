// This file holds the headers that answers carry whatever they answer, so that the edge
// and the hosts in front of it, which serve the same files, say the same.

package release

// What answers say, whatever the configuration.
const (
	ContentType = "application/json"
	// Vary is that of answers that do not depend on who asks.
	Vary = "Accept-Encoding"
	// AnyOrigin allows pages of all origins to read answers.
	AnyOrigin = "*"
	// ExposeHeaders lists the headers that a page of another origin may read.
	ExposeHeaders = "ETag, Content-Length, Content-Range, Link, Retry-After, Allow, " + Header + ", " + RequestIDHeader
	// NoSniff keeps browsers from taking an answer for markup.
	NoSniff = "nosniff"
	// AllowHeaders lets a page send all headers, the one that names a release among them. By
	// the Fetch standard the star does not stand for Authorization, and some clients take
	// it for a header's name: those that a preflight asks for are named behind it.
	AllowHeaders = "*, Authorization"
	// AskedHeaders is where a preflight names the headers that it asks for.
	AskedHeaders = "Access-Control-Request-Headers"
	// MaxAskedHeaders is how long that may be, in bytes, for them to be named in the answer.
	MaxAskedHeaders = 1000
	// PreflightVary is Vary for answers to preflights.
	PreflightVary = Vary + ", " + AskedHeaders
	// PreflightAge lets a browser skip the preflight of its searches for a day, in seconds.
	PreflightAge = "86400"
	// RetryAfter is in seconds: what stands in the way is gone by then or stays.
	RetryAfter = "1"
)

// CommonFields are the header fields, names and values, of all answers that do not depend on
// who asks. Cache-Control comes beside them, by class.
func CommonFields() [][2]string {
	return [][2]string{
		{"X-Content-Type-Options", NoSniff},
		{"Vary", Vary},
		{"Access-Control-Allow-Origin", AnyOrigin},
		{"Access-Control-Expose-Headers", ExposeHeaders},
	}
}

// The headers that the interface adds.
const (
	// Header names the release that an answer is from and, in a request, the
	// one that it has to be from.
	Header = "X-Release"
	// RequestIDHeader carries a request's name.
	RequestIDHeader = "X-Request-Id"
	// ContentErrorHeader says why newer content than that of the release is not served.
	// Only a preview sends it.
	ContentErrorHeader = "X-Content-Error"
)

// The methods of the addresses that are read, and of the search.
const (
	AllowRead   = "GET, HEAD, OPTIONS"
	AllowSearch = "POST, OPTIONS"
)
