// This file writes a list request's canonical query string for cache keys, logs and links. Equal
// lists have equal strings, however the request is spelled and whatever the defaults are.

package address

import "strconv"

// Canonical is the query string with the present filters, then page, pageSize, sort and sortAsc, then what
// the list shows of its items. It parses to the same list under any defaults.
func (l List) Canonical() string { return string(l.AppendCanonical(nil)) }

// AppendCanonical appends Canonical to dst.
func (l List) AppendCanonical(dst []byte) []byte {
	var buf [256]byte
	b := buf[:0]
	for p, text := range l.filters() {
		if *text != "" {
			b = appendParameter(b, parameter(p))
			b = appendEscaped(b, *text)
		}
	}
	if l.Data != "" {
		b = append(separated(b), l.Data...)
	}
	b = strconv.AppendInt(appendParameter(b, paramPage), int64(l.Page), 10)
	b = strconv.AppendInt(appendParameter(b, paramSize), int64(l.Size), 10)
	b = appendEscaped(appendParameter(b, paramSort), l.Sort)
	b = strconv.AppendBool(appendParameter(b, paramAsc), l.Asc)
	return append(dst, l.Show.appendCanonical(b)...)
}

func appendParameter(b []byte, p parameter) []byte {
	b = append(separated(b), parameterNames[p]...)
	return append(b, '=')
}

func separated(b []byte) []byte {
	if len(b) > 0 {
		b = append(b, '&')
	}
	return b
}

// appendEscaped escapes every byte that RFC 3986 does not call unreserved.
func appendEscaped(b []byte, text string) []byte {
	const digits = "0123456789ABCDEF"
	for i := 0; i < len(text); i++ {
		if c := text[i]; isNameByte(c) || c == '.' || c == '~' {
			b = append(b, c)
		} else {
			b = append(b, '%', digits[c>>4], digits[c&15])
		}
	}
	return b
}
