// This file has the limits of requests that generator, node, other hosts and preview's page share.

package address

const (
	// DefaultPageSize is the page size unless a build (--page-size) or a request chooses another.
	DefaultPageSize = 10
	// MaxSize is the largest page size. As in Elasticsearch, no search returns hits after the first MaxSize.
	MaxSize = 10000
	// MaxPage keeps page*size far below overflow.
	MaxPage = 999_999_999
	// maxFilePage is the last page with a file. Web servers can check its seven digits by length.
	maxFilePage = 9_999_999
	// MaxSavedPage is the last page of a saved search.
	MaxSavedPage = 1000
	// maxEnv keeps the longest file name below an object store's 1,024 bytes.
	maxEnv = 64
	// maxID leaves room for ".json.gz" in a file name of 255 bytes.
	maxID = 128
	// MaxMedia is the size of the largest media file in bytes. Nodes that follow a store fetch files whole,
	// and one upload to a store must not take longer than its retries last.
	MaxMedia = 1 << 30
	// MaxValue is the longest filter value in bytes. It limits cache keys and response headers.
	// Queries in a search body accept longer values.
	MaxValue = 1024
	// MaxInclude is how many levels of references are followed: an item, its author, the author's company, its city.
	MaxInclude = 3
	// MaxFilters is the most filters of a request by names of fields: each becomes a clause of the query.
	MaxFilters = 64
	// MaxToken keeps a path component below 255 bytes and a key with four filters below 1,024. Lists
	// with longer texts have no files and need a search.
	MaxToken = 200
	// DefaultHeadLimit is in bytes. It is for search words and a browser's cookies.
	DefaultHeadLimit = 16 << 10
	// DefaultBodyLimit is in bytes. It admits every body that the limits of package query admit.
	DefaultBodyLimit = 256 << 10
)
