// This file compiles patterns of dates with the meaning of Java's DateTimeFormatter.

package analysis

import (
	"fmt"
	"strings"
)

// datePart is a field of a pattern, or a text between fields.
type datePart struct {
	letter byte // 0 for a text
	width  int  // letters
	text   string

	// least and most limit the digits of a number. behind is the number of digits that belong to the fields after it,
	// if no text separates them.
	least, most, behind int
	sign                dateSign
}

type dateSign byte

const (
	noSign     dateSign = iota
	minusSign           // of years before 0
	longerSign          // - of years before 0, and + if there are more digits than letters
)

const (
	// maxPattern limits the length of a format.
	maxPattern = 100
	// maxDigits limits the digits of a number whose letters do not limit them.
	maxDigits = 19
	dateForms = "use letters such as yyyy-MM-dd HH:mm:ss.SSS, text between single quotes, or a name such as strict_date_optional_time, epoch_millis, basic_date, year_month"
)

// dateLetters are the letters of patterns, each with the longest run that a pattern may have.
var dateLetters = map[byte]int{'y': 9, 'u': 9, 'Y': 9, 'M': 4, 'L': 4, 'd': 2, 'D': 3, 'w': 2, 'e': 2, 'c': 1, 'E': 4, 'Q': 2, 'q': 2,
	'H': 2, 'h': 2, 'k': 2, 'K': 2, 'm': 2, 's': 2, 'S': 9, 'a': 1, 'X': 3, 'x': 4, 'Z': 3, 'V': 2}

// writtenOnly are letters of patterns that can only write dates.
const writtenOnly = "YweEcQqkK"

func badPattern(pattern, why string) error {
	return fmt.Errorf("%.80q is not a known date format: %s; %s", pattern, why, dateForms)
}

// dateParts splits a pattern.
func dateParts(pattern string) (parts []datePart, err error) {
	if pattern == "" || len(pattern) > maxPattern {
		return nil, badPattern(pattern, "it is empty or too long")
	}
	touched := -1 // the number that leaves digits to the numbers directly after it
	for rest := pattern; rest != ""; {
		var p datePart
		switch c := rest[0]; {
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			p = datePart{letter: c, width: len(rest) - len(strings.TrimLeft(rest, string(c)))}
			if p.width > dateLetters[c] || c == 'V' && p.width == 1 {
				return nil, badPattern(pattern, fmt.Sprintf("%q has no meaning", rest[:p.width]))
			}
			rest = rest[p.width:]
			p.number()
		case c == '\'':
			var closed bool
			if p.text, rest, closed = CutQuoted(rest[1:]); !closed {
				return nil, badPattern(pattern, "a quote is not closed")
			}
		case strings.IndexByte("[]{}#", c) >= 0:
			return nil, badPattern(pattern, fmt.Sprintf("%q has no meaning", c))
		default:
			p.text, rest = rest[:1], rest[1:]
		}
		switch {
		case p.most == 0:
			touched = -1
		case touched >= 0 && p.least == p.most && p.sign == noSign:
			parts[touched].behind += p.most
		default:
			touched = len(parts)
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// number sets how many digits a part has if it is a number.
func (p *datePart) number() {
	switch {
	case strings.IndexByte("aEXxZV", p.letter) >= 0, strings.IndexByte("MLQq", p.letter) >= 0 && p.width > 2:
	case strings.IndexByte("yuY", p.letter) >= 0 && p.width != 2:
		p.least, p.most, p.sign = p.width, maxDigits, minusSign
		if p.width > 3 {
			p.sign = longerSign
		}
	case p.letter == 'D' && p.width > 1:
		p.least, p.most = p.width, 3
	case p.width == 1 && p.letter != 'S':
		p.least, p.most, p.sign = 1, maxDigits, minusSign
	default:
		p.least, p.most = p.width, p.width
	}
}

// CutQuoted returns the text up to a single quote and the rest. Two quotes represent one.
func CutQuoted(s string) (text, rest string, ok bool) {
	if strings.HasPrefix(s, "'") {
		return "'", s[1:], true
	}
	for {
		part, after, found := strings.Cut(s, "'")
		if !found {
			return "", "", false
		}
		text += part
		if !strings.HasPrefix(after, "'") {
			return text, after, true
		}
		text += "'"
		s = after[1:]
	}
}

// readable returns an error for a pattern with letters that can only write dates.
func readable(pattern string, parts []datePart) error {
	for _, p := range parts {
		if p.letter != 0 && strings.IndexByte(writtenOnly, p.letter) >= 0 {
			return badPattern(pattern, fmt.Sprintf("no date is read by the letter %q", p.letter))
		}
	}
	return nil
}
