// This file cuts a text into rows and values.

package csvtext

import "bytes"

// next reads the next row. It is false at the end, and after a fault of the whole file.
func (r *reader) next() bool {
	for r.at < len(r.text) && len(r.faults) < maxFaults {
		if end := r.lineEnd(r.at); end > 0 {
			r.at += end // of an empty line
			continue
		}
		r.row = r.row[:0]
		ok := true
		for more := true; more && ok; {
			more, ok = r.cell()
		}
		if ok {
			return true
		}
		if r.at < 0 {
			return false
		}
	}
	return false
}

// lineEnd returns the length of the line end at an offset, or 0.
func (r *reader) lineEnd(at int) int {
	switch rest := r.text[at:]; {
	case bytes.HasPrefix(rest, []byte{'\n'}):
		return 1
	case bytes.HasPrefix(rest, []byte("\r\n")):
		return 2
	}
	return 0
}

// cell reads a value and what ends it. ok is false after a fault: the next row may begin at r.at, and none
// does if r.at is negative.
func (r *reader) cell() (more, ok bool) {
	begin := r.at
	if begin < len(r.text) && r.text[begin] == '"' {
		if !r.quoted() {
			return false, false
		}
	} else if !r.plain() {
		return false, false
	}
	switch {
	case r.at == len(r.text):
		return false, true
	case r.text[r.at] == ',':
		r.at++
		return true, true
	}
	end := r.lineEnd(r.at)
	if end == 0 {
		r.fault(r.at, "there is text after the closing quote of a value", `a quote in a value is written twice: ""`)
		return false, r.skipLine()
	}
	r.at += end
	return false, true
}

// plain reads a value without quotes.
func (r *reader) plain() bool {
	n := bytes.IndexAny(r.text[r.at:], ",\n\r\"")
	if n < 0 {
		n = len(r.text) - r.at
	}
	end := r.at + n
	if end < len(r.text) && r.text[end] == '"' {
		r.fault(end, "there is a quote in a value without quotes", `put the value in quotes, and write the quote twice: ""`)
		return r.skipLine()
	}
	r.row = append(r.row, cell{r.at, r.text[r.at:end]})
	r.at = end
	return true
}

// quoted reads a value in quotes.
func (r *reader) quoted() bool {
	begin := r.at
	var text []byte // nil while the value is a part of the text
	from := begin + 1
	for at := from; ; {
		n := bytes.IndexByte(r.text[at:], '"')
		if n < 0 {
			r.fault(begin, "the quote that begins here is not closed", `a quote in a value is written twice: ""`)
			r.at = -1
			return false
		}
		at += n + 1
		if at < len(r.text) && r.text[at] == '"' {
			text = append(text, r.text[from:at]...)
			at++
			from = at
			continue
		}
		if text == nil {
			text = r.text[from : at-1]
		} else {
			text = append(text, r.text[from:at-1]...)
		}
		r.row = append(r.row, cell{begin, bytes.ReplaceAll(text, []byte("\r\n"), []byte{'\n'})})
		r.at = at
		return true
	}
}

// skipLine goes to the next line after a fault. It is false.
func (r *reader) skipLine() bool {
	n := bytes.IndexByte(r.text[r.at:], '\n')
	if n < 0 {
		r.at = len(r.text)
	} else {
		r.at += n + 1
	}
	return false
}
