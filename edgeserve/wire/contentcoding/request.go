// This file reads the coding of a request's body.

package contentcoding

import (
	"bytes"

	"contentedge/edgeserve/wire/httpfield"
)

// OfRequest reads the values of a request's Content-Encoding. known is false unless the body is sent as it is, or
// once in gzip.
func OfRequest(values [][]byte) (gzipped, known bool) {
	for _, value := range values {
		for name := range bytes.SplitSeq(value, []byte(",")) {
			switch name = httpfield.TrimSpace(name); {
			case len(name) == 0 || httpfield.FoldEqual(name, "identity"):
			case !gzipped && (httpfield.FoldEqual(name, "gzip") || httpfield.FoldEqual(name, "x-gzip")):
				gzipped = true
			default:
				return false, false
			}
		}
	}
	return gzipped, true
}
