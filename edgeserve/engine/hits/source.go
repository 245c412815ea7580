// This file writes the sources of hits.

package hits

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/wire/envelope"
)

// Source writes the members of items that a body selects.
type Source struct {
	none   bool
	filter *envelope.SourceFilter // nil selects all
	copied int                    // bytes since the last call of Work
}

// NewSource returns the Source of an option; nil is whole items.
func NewSource(s *query.Source) *Source {
	switch {
	case s == nil:
		return &Source{}
	case s.None:
		return &Source{none: true}
	}
	return &Source{filter: envelope.NewSourceFilter(s.Includes, s.Excludes)}
}

// Append writes a member _source with a comma before it, unless the body asks for no source.
func (s *Source) Append(dst, fragment []byte) []byte {
	if s.none {
		return dst
	}
	s.copied += len(fragment)
	return s.filter.Append(append(dst, `,"_source":`...), fragment)
}

// AppendAlone writes the selected members as an object. It is empty if the body asks for no source.
func (s *Source) AppendAlone(dst, fragment []byte) []byte {
	if s.none {
		return append(dst, "{}"...)
	}
	return s.filter.Append(dst, fragment)
}

// Work is the cost of writing since the last call, in steps.
func (s *Source) Work() int {
	n := s.copied / copiedPerStep
	s.copied = 0
	if s.filter != nil {
		n += s.filter.Work()
	}
	return n
}
