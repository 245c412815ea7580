// This file is the only list of the names of header fields. HTTP ignores the case of names; these
// have the case in which Go's HTTP libraries write and find them.

package httpfield

// Names that HTTP and the Fetch standard define.
const (
	Accept                    = "Accept"
	AcceptEncoding            = "Accept-Encoding"
	AcceptRanges              = "Accept-Ranges"
	Age                       = "Age"
	AllowHeaders              = "Access-Control-Allow-Headers"
	AllowMethods              = "Access-Control-Allow-Methods"
	AllowOrigin               = "Access-Control-Allow-Origin"
	ExposeHeaders             = "Access-Control-Expose-Headers"
	MaxAge                    = "Access-Control-Max-Age"
	RequestHeaders            = "Access-Control-Request-Headers"
	Allow                     = "Allow"
	Authorization             = "Authorization"
	CacheControl              = "Cache-Control"
	CloudFrontViewer          = "Cloudfront-Viewer-Address" // of Amazon CloudFront
	Connection                = "Connection"
	ContentDisposition        = "Content-Disposition"
	ContentEncoding           = "Content-Encoding"
	ContentLength             = "Content-Length"
	ContentRange              = "Content-Range"
	ContentSecurityPolicy     = "Content-Security-Policy"
	ContentType               = "Content-Type"
	ContentTypeOptions        = "X-Content-Type-Options"
	CrossOriginResourcePolicy = "Cross-Origin-Resource-Policy"
	Date                      = "Date"
	Expect                    = "Expect"
	ETag                      = "Etag"
	Forwarded                 = "Forwarded"
	ForwardedFor              = "X-Forwarded-For"
	Host                      = "Host"
	IfMatch                   = "If-Match"
	IfNoneMatch               = "If-None-Match"
	IfRange                   = "If-Range"
	Link                      = "Link"
	Origin                    = "Origin"
	Range                     = "Range"
	Referer                   = "Referer"
	RetryAfter                = "Retry-After"
	ServerTiming              = "Server-Timing"
	SecFetchMode              = "Sec-Fetch-Mode"
	SecFetchSite              = "Sec-Fetch-Site"
	TraceParent               = "Traceparent"
	TransferEncoding          = "Transfer-Encoding"
	UserAgent                 = "User-Agent"
	Vary                      = "Vary"
)

// Names that the interface defines.
const (
	// Release names a response's release. In a request it names the required release.
	Release   = "X-Release"
	RequestID = "X-Request-Id"
	// AskTiming asks for ServerTiming.
	AskTiming = "X-Server-Timing"
	// Approximate says why the results of a search are approximate. Exact results have no such field.
	Approximate = "X-Approximate"
	// ContentError says why a preview serves older content. Only previews send it.
	ContentError = "X-Content-Error"
	// StrictTransportSecurity tells browsers to use HTTPS only (RFC 6797).
	StrictTransportSecurity = "Strict-Transport-Security"
	// WebhookID is equal for all attempts to send one webhook.
	WebhookID = "Webhook-Id"
	// WebhookSignature signs a webhook that asks for a pull.
	WebhookSignature = "X-Webhook-Signature"
	// ElasticProduct is the field by which Elasticsearch's clients recognize Elasticsearch.
	ElasticProduct = "X-Elastic-Product"
)

// OurAgent is the value of UserAgent in requests of our clients.
const OurAgent = "contentedge"
