// This file bounds what the parser gets. The parser needs memory for each token, and again for the path
// of each; it recurses once for each level and for each key of a mapping; and it copies the keys of a
// mapping once for each key.

package yamltext

import (
	"fmt"

	"contentedge/generator/source/documents"

	"github.com/goccy/go-yaml/token"
)

const (
	maxTokens     = 200_000  // of a record: 600 bytes each
	maxKeys       = 10_000   // of a mapping: 0.2 s, which grow with the square
	maxPaths      = 64 << 20 // bytes of the paths of all nodes of a record
	maxKey        = 32 << 10 // bytes of a key: the path of a value may have no more
	maxProperties = 8        // tags, anchors and question marks in a row
)

// bounds follows the tokens of a record.
type bounds struct {
	tokens, paths, flow, properties int
	levels                          []level
	key                             *token.Token // the token before
}

// level is a mapping or a sequence that is open.
type level struct {
	column   int // of its keys or entries; 0 inside of brackets
	sequence bool
	keys     int
	above    int // bytes of its own path
	key      int // bytes of its last key
}

// add takes a token. The message says what is too much of the record, at that token or the previous one.
func (b *bounds) add(t *token.Token) (at *token.Token, message, hint string) {
	before := b.key
	b.key = t
	switch t.Type {
	case token.SequenceStartType, token.MappingStartType:
		b.flow++
		b.push(level{})
	case token.SequenceEndType, token.MappingEndType:
		for b.flow > 0 && len(b.levels) > 0 {
			last := b.levels[len(b.levels)-1]
			b.levels = b.levels[:len(b.levels)-1]
			if last.column == 0 {
				b.flow--
				break
			}
		}
	case token.SequenceEntryType:
		b.entry(t.Position.Column)
	case token.MappingValueType:
		if before != nil {
			b.member(before)
		}
	}
	if t.Type == token.MappingValueType && before != nil && len(before.Value) > maxKey {
		return before, fmt.Sprintf("this key has %d bytes; a key may have %d", len(before.Value), maxKey), ""
	}
	message, hint = b.check(t, before)
	return t, message, hint
}

func (b *bounds) check(t, before *token.Token) (message, hint string) {
	if t.Type == token.TagType || t.Type == token.AnchorType || t.Type == token.MappingKeyType {
		b.properties++
	} else if before == nil || before.Type != token.AnchorType { // the name of an anchor is a token
		b.properties = 0
	}
	path := 0
	if n := len(b.levels); n > 0 {
		path = b.levels[n-1].above + b.levels[n-1].key
	}
	b.tokens++
	b.paths += path
	switch {
	case len(b.levels) > documents.MaxDepth:
		return fmt.Sprintf("values are nested more than %d deep here", documents.MaxDepth), ""
	case b.tokens > maxTokens:
		return fmt.Sprintf("this record has more than %d values, keys and marks", maxTokens), tooMuch
	case b.paths > maxPaths:
		return "the keys of this record are too long for the values below them", tooMuch
	case b.properties > maxProperties:
		return "there are too many tags, anchors or question marks in a row here", ""
	case t.Type == token.MappingValueType && len(b.levels) > 0 && b.levels[len(b.levels)-1].keys > maxKeys:
		return fmt.Sprintf("this mapping has more than %d keys", maxKeys), tooMuch
	}
	return "", ""
}

const tooMuch = "divide it into several items, or write it as JSON"

func (b *bounds) push(l level) {
	if n := len(b.levels); n > 0 {
		l.above = b.levels[n-1].above + b.levels[n-1].key
	}
	l.above += len("[00000]")
	b.levels = append(b.levels, l)
}

// entry begins an entry of a sequence that is written with dashes.
func (b *bounds) entry(column int) {
	if b.flow > 0 {
		return
	}
	b.pop(func(l level) bool { return l.column > column })
	if n := len(b.levels); n == 0 || b.levels[n-1].column != column || !b.levels[n-1].sequence {
		b.push(level{column: column, sequence: true})
	}
}

// member begins a member of a mapping.
func (b *bounds) member(key *token.Token) {
	column := key.Position.Column
	if b.flow == 0 {
		b.pop(func(l level) bool { return l.column > column || l.column == column && l.sequence })
		if n := len(b.levels); n == 0 || b.levels[n-1].column != column {
			b.push(level{column: column})
		}
	}
	last := &b.levels[len(b.levels)-1]
	last.keys++
	last.key = len(key.Value)
}

func (b *bounds) pop(closed func(level) bool) {
	for n := len(b.levels); n > 0 && closed(b.levels[n-1]); n-- {
		b.levels = b.levels[:n-1]
	}
}
