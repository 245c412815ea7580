package respcache

import (
	"contentedge/edgeserve/engine/respond"
	"contentedge/edgeserve/wire/contentcoding"
)

// newResponse makes a response of a body, with a tag.
func newResponse(coding contentcoding.Coding, body []byte) *Response {
	return &Response{Body: body, Meta: respond.Metadata{Coding: coding, ETag: []byte(`"t"`)}}
}
