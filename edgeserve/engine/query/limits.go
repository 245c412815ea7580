// This file defines limits of bodies that evaluation knows, too.

package query

// MaxWindow limits from + size, as in Elasticsearch.
const MaxWindow = 10000

// DefaultSize is the number of hits per page unless the body sets size.
const DefaultSize = 10
