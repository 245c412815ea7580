// This file writes the member fields of hits.

package hits

import (
	"contentedge/edgeserve/wire/envelope"
)

// Field is a field of hits. Values append the values of a match as JSON, each after a comma. The evaluator identifies
// its matches by an M.
type Field[M any] struct {
	Name   string
	Values func(dst []byte, m M) ([]byte, error)
}

// Fields returns a part that writes the fields that have values, of the matches of a page. Names must
// be unique.
func Fields[M any](list []Field[M], matches []M) Part {
	return func(dst []byte, place int) (_ []byte, err error) {
		start := len(dst)
		dst = append(dst, `,"fields":`...)
		open := len(dst)
		for _, f := range list {
			before := len(dst)
			dst = append(envelope.JavaEscapes.AppendString(append(dst, ','), f.Name), ':')
			values := len(dst)
			if dst, err = f.Values(dst, matches[place]); err != nil {
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
