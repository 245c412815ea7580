// This file is the table of errors: a row for each code. A standard text repeats nothing of a
// request. Where it is empty, the code that reports the error writes the text.

package problem

// Fault is who can remedy a problem.
type Fault uint8

// The sides that may be at fault.
const (
	Client  Fault = iota // the request must change
	Load                 // the request may succeed later
	Server               // the operator has to act: the node, a release or the connection to the node is broken
	Content              // the editor has to correct the content that a preview shows
)

type row struct {
	status  int
	fault   Fault
	search  bool // it may refuse a search
	code    string
	message string
}

// inSearch marks the codes that may refuse a search.
const inSearch = true

var rows = [...]row{
	// Requests that cannot be read.
	{400, Client, false, BadRequest, "the request could not be read as HTTP/1.1"},
	{400, Client, false, BadHeader, "every header line must be a name, a colon and a value without control bytes, and end in CRLF"},
	{400, Client, false, BadTarget, "the request target must be a path with an optional query"},
	{400, Client, false, BadHost, "one Host header with a host name and an optional port is needed"},
	{400, Client, false, BadFraming, "the body's length must be given once, by Content-Length or by Transfer-Encoding: chunked"},
	{505, Client, false, BadHTTPVersion, "only HTTP/1.1 and HTTP/1.0 are spoken here"},
	{408, Client, false, RequestTimeout, "the request did not arrive in time"},
	{431, Client, false, HeadTooLarge, "the request line and headers are longer together than this server reads"},
	{415, Client, false, ContentEncoding, "the body must be sent as it is, or once in gzip and with Content-Encoding: gzip"},
	{413, Client, inSearch, BodyTooLarge, "the body is larger than this server reads; send a shorter query"},
	{400, Client, inSearch, BadGzip, "the body is not the whole gzip stream that Content-Encoding says it is"},

	// Addresses, methods and conditions.
	{404, Client, false, UnknownRoute, "no such address; paths are case-sensitive and end without a slash"},
	{404, Client, false, UnknownEnvironment, "no environment of this release has that id"},
	{404, Client, false, UnknownItem, "no content item of this environment has that id"},
	{404, Client, false, UnknownSearch, "no saved search of this environment has that name, or it has fewer pages"},
	{404, Client, false, UnknownMedia, "neither this release nor the previous one has that media file"},
	{404, Client, false, UnknownUsedIn, "this release has no list of the items that refer to that one; used-in in _environment.yaml asks for such lists"},
	{421, Client, false, UnknownHost, "this server does not answer for that host, as a page of another site may be asking; if the name is yours, start the server with --host NAME"},
	{405, Client, false, MethodNotAllowed, "this address does not take that method; see Allow"},
	{412, Client, false, PreconditionFailed, "the response has none of the tags that If-Match names; send the request without If-Match for the current one"},
	{412, Client, false, ReleaseMismatch, ""},
	{416, Client, false, BadRange, "the body ends before the bytes that Range asks for; Content-Range says where"},
	{409, Client, inSearch, VersionConflict, ""},

	// Parameters.
	{400, Client, inSearch, UnknownParameter, ""},
	{400, Client, inSearch, DuplicateParameter, ""},
	{400, Client, inSearch, MissingParameter, ""},
	{400, Client, inSearch, BadParameter, ""},
	{400, Client, inSearch, TooManyParameters, ""},
	{400, Client, inSearch, ValueTooLong, ""},
	{400, Client, inSearch, PathLeftOut, ""},
	{400, Client, inSearch, BadPage, ""},
	{400, Client, inSearch, BadPageSize, ""},
	{400, Client, inSearch, BadSortAsc, ""},
	{400, Client, inSearch, BadCreatedAt, ""},
	{400, Client, inSearch, BadInclude, ""},
	{400, Client, inSearch, TooManyIncluded, ""},

	// Search bodies.
	{400, Client, inSearch, BadJSON, ""},
	{400, Client, inSearch, BadBody, ""},
	{400, Client, inSearch, BadQuery, ""},
	{400, Client, inSearch, UnknownQuery, ""},
	{400, Client, inSearch, UnknownOption, ""},
	{400, Client, inSearch, BadQueryString, ""},
	{400, Client, inSearch, BadRegexp, ""},
	{400, Client, inSearch, BadValue, ""},
	{400, Client, inSearch, BadFrom, ""},
	{400, Client, inSearch, BadSize, ""},
	{400, Client, inSearch, BadSort, ""},
	{400, Client, inSearch, BadSearchAfter, ""},
	{400, Client, inSearch, BadCollapse, ""},
	{400, Client, inSearch, BadRescore, ""},
	{400, Client, inSearch, BadSource, ""},
	{400, Client, inSearch, BadTrackTotalHits, ""},
	{400, Client, inSearch, BadAggregation, ""},
	{400, Client, inSearch, BadSuggest, ""},
	{400, Client, inSearch, BadHighlight, ""},
	{400, Client, inSearch, TooDeep, ""},
	{400, Client, inSearch, TooManyClauses, ""},
	{400, Client, inSearch, TooManyBuckets, ""},
	{400, Client, inSearch, TooCostly, ""},

	// Nodes.
	{429, Client, inSearch, RateLimited, "this client sends too many requests; try again after the seconds of Retry-After"},
	{503, Load, false, NotReady, "no release is loaded yet; try again"},
	{503, Load, inSearch, Overloaded, "too many requests are being answered; try again"},
	{503, Load, inSearch, Timeout, ""},
	{503, Server, inSearch, Unreadable, "the release could not be read; try again"},
	{503, Server, inSearch, SearchUnavailable, "the search cluster has no whole answer now; try again"},
	{501, Client, inSearch, NotAtCluster, ""},
	{503, Server, false, MediaUnreachable, "the media file could not be read or fetched; try again"},
	{501, Client, inSearch, NotExact, ""},
	{500, Server, inSearch, Internal, "the request could not be answered; the cause is in the server's log"},

	// Other servers.
	{403, Client, false, CrossOrigin, "a reload is not for browsers to ask for"},
	{500, Server, false, ReleaseRefused, ""},
	{404, Client, false, NoFile, "this host has files only, and none for this request; manifest.json names the lists that have files"},
	{503, Server, false, EdgeUnreachable, "the server that answers this request is out of reach; try again"},
	{503, Content, false, ContentError, ""},
	{503, Server, false, BuildFailed, ""},
}

// standard are the problems of the table by code.
var standard = func() map[string]*Problem {
	m := make(map[string]*Problem, len(rows))
	for _, r := range rows {
		m[r.code] = &Problem{Status: r.status, Code: r.code, Message: r.message, Position: -1}
	}
	return m
}()
