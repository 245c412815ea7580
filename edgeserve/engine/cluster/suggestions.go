// This file writes suggestions.

package cluster

import (
	"strconv"

	"contentedge/edgeserve/wire/envelope"
)

// suggestions writes the suggestions of a response in the order of the body.
func (e *evaluation) suggestions(v []byte) []byte {
	byName := map[string][]byte{}
	for name, v := range e.members(v, "suggest") {
		byName[string(name)] = v
	}
	dst := []byte{'{'}
	for i := range e.body.Suggest {
		asked := &e.body.Suggest[i]
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(envelope.JavaEscapes.AppendString(dst, asked.Name), ":["...)
		first := true
		for v := range e.elements(byName[asked.Name], "a suggestion") {
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = e.appendEntry(dst, v)
		}
		dst = append(dst, ']')
	}
	e.hold(len(dst))
	return append(dst, '}')
}

// appendEntry writes a text, and what is suggested for it.
func (e *evaluation) appendEntry(dst, v []byte) []byte {
	var text, options []byte
	offset, length := -1, -1
	for name, v := range e.members(v, "an entry of a suggestion") {
		switch string(name) {
		case "text":
			text = v
		case "offset":
			offset = e.count(v, "offset")
		case "length":
			length = e.count(v, "length")
		case "options":
			options = v
		}
	}
	if !isString(text) || offset < 0 || length < 0 {
		e.fail("an entry of a suggestion lacks its text or its place")
		return dst
	}
	dst = appendText(append(dst, `{"text":`...), text)
	dst = strconv.AppendInt(append(dst, `,"offset":`...), int64(offset), 10)
	dst = strconv.AppendInt(append(dst, `,"length":`...), int64(length), 10)
	dst = append(dst, `,"options":[`...)
	first := true
	for v := range e.elements(options, "options") {
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = e.appendOption(dst, v)
	}
	return append(dst, "]}"...)
}

// appendOption writes a suggested text.
func (e *evaluation) appendOption(dst, v []byte) []byte {
	var text, highlighted, score, freq []byte
	for name, v := range e.members(v, "an option of a suggestion") {
		switch string(name) {
		case "text":
			text = v
		case "highlighted":
			highlighted = v
		case "score":
			score = v
		case "freq":
			freq = v
		}
	}
	if !isString(text) || score == nil {
		e.fail("an option of a suggestion lacks its text or its score")
		return dst
	}
	dst = appendText(append(dst, `{"text":`...), text)
	if highlighted != nil {
		dst = e.appendScalar(append(dst, `,"highlighted":`...), highlighted, 64, "highlighted")
	}
	dst = e.appendScalar(append(dst, `,"score":`...), score, 32, "score")
	if freq != nil {
		dst = e.appendScalar(append(dst, `,"freq":`...), freq, 64, "freq")
	}
	return append(dst, '}')
}
