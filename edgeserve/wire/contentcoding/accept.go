// This file parses Accept-Encoding (RFC 9110, 12.5.3) in one pass, allocating nothing.

package contentcoding

import (
	"iter"

	"contentedge/edgeserve/wire/httpfield"
)

// Accept holds the weights of a client's codings. The zero value is a request without
// Accept-Encoding. Read adds field lines.
type Accept struct {
	weight [Count]uint16 // thousandths plus one; 0 if not listed
	other  uint16        // of `*`, likewise
}

const maxWeight = 1000 // of a coding without q

// Read adds the value of a field line. It ignores elements without a valid name and weight. The
// lowest weight of a coding counts, so that a refusal wins.
func (a *Accept) Read(line []byte) {
	for len(line) > 0 {
		comma := index(line, ',')
		a.element(line[:comma])
		line = line[min(comma+1, len(line)):]
	}
}

func (a *Accept) element(b []byte) {
	semicolon := index(b, ';')
	name := httpfield.TrimSpace(b[:semicolon])
	weight := maxWeight
	if semicolon < len(b) {
		var ok bool
		if weight, ok = ParseWeight(httpfield.TrimSpace(b[semicolon+1:])); !ok {
			return
		}
	}
	if len(name) == 1 && name[0] == '*' {
		lower(&a.other, uint16(weight)+1)
	} else if c, ok := lookup(name); ok {
		lower(&a.weight[c], uint16(weight)+1)
	}
}

func lower(old *uint16, value uint16) {
	if *old == 0 || value < *old {
		*old = value
	}
}

// Choose returns the available coding with the highest weight; the order of Codings breaks ties.
// Identity is always available. It is also the result if no coding is acceptable: a body that the
// client can probably read is better than an error.
func (a *Accept) Choose(available Set) Coding {
	best, most := Identity, a.identity()
	for _, c := range Codings {
		if available.Has(c) {
			if w := a.weightOf(c); w > most || w == most && w > 0 && best == Identity {
				best, most = c, w
			}
		}
	}
	return best
}

// Preferred yields the available codings by descending weight, in Choose's order, up to Identity.
func (a *Accept) Preferred(available Set) iter.Seq[Coding] {
	return func(yield func(Coding) bool) {
		for {
			coding := a.Choose(available)
			if !yield(coding) || coding == Identity {
				return
			}
			available = available.Without(coding)
		}
	}
}

func (a *Accept) weightOf(c Coding) int {
	w := a.weight[c]
	if w == 0 {
		w = a.other
	}
	return max(int(w)-1, 0)
}

// identity is the weight of Identity. Without a weight, it is acceptable but below listed codings.
func (a *Accept) identity() int {
	if a.weight[Identity] == 0 && a.other == 0 {
		return 0
	}
	return a.weightOf(Identity)
}

// ChooseFast is Choose for EncodeFast, which compresses while the client waits.
func (a *Accept) ChooseFast() Coding { return a.Choose(Set(0).With(Zstd).With(Gzip)) }

// ParseWeight parses a weight (RFC 9110, 12.4.2), `q=0.123`, as thousandths.
func ParseWeight(b []byte) (int, bool) {
	if len(b) < 3 || b[0]|0x20 != 'q' || b[1] != '=' {
		return 0, false
	}
	whole, rest := b[2], b[3:]
	if whole != '0' && whole != '1' || len(rest) > 4 || len(rest) > 0 && rest[0] != '.' {
		return 0, false
	}
	w, unit := int(whole-'0')*maxWeight, maxWeight/10
	for i := 1; i < len(rest); i++ {
		digit := rest[i] - '0'
		if digit > 9 {
			return 0, false
		}
		w += int(digit) * unit
		unit /= 10
	}
	return w, w <= maxWeight
}

func lookup(name []byte) (Coding, bool) {
	switch {
	case httpfield.FoldEqual(name, "gzip"), httpfield.FoldEqual(name, "x-gzip"):
		return Gzip, true
	case httpfield.FoldEqual(name, "br"):
		return Brotli, true
	case httpfield.FoldEqual(name, "zstd"):
		return Zstd, true
	case httpfield.FoldEqual(name, "identity"):
		return Identity, true
	}
	return 0, false
}

// index is the position of c, or len(b). It is much faster than package bytes (BenchmarkAccept).
func index(b []byte, c byte) int {
	for i := range b {
		if b[i] == c {
			return i
		}
	}
	return len(b)
}
