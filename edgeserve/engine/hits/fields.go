// This file writes the member fields of hits.

package hits

import (
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/envelope"
)

// Field is a field of hits. Values append those of a document as JSON, each after a comma.
type Field struct {
	Name   string
	Values func(dst []byte, d snapshot.DocID) ([]byte, error)
}

// Fields returns a part that writes the fields that have values. Names must be unique.
func Fields(list []Field) Part {
	return func(dst []byte, h Hit) (_ []byte, err error) {
		start := len(dst)
		dst = append(dst, `,"fields":`...)
		open := len(dst)
		for _, f := range list {
			before := len(dst)
			dst = append(envelope.JavaEscapes.AppendString(append(dst, ','), f.Name), ':')
			values := len(dst)
			if dst, err = f.Values(dst, h.Doc); err != nil {
				return nil, err
			}
			if len(dst) == values {
				dst = dst[:before]
				continue
			}
			dst[values] = '['
			dst = append(dst, ']')
		}
		if len(dst) == open {
			return dst[:start], nil
		}
		dst[open] = '{'
		return append(dst, '}'), nil
	}
}
