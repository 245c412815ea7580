// This file decodes values that PHP serialised, as plugins store them in post meta.

package wordpress

import (
	"math"
	"strconv"
	"strings"

	"github.com/goccy/go-json/jsontext"
)

const (
	// maxPHPDepth bounds the nesting of serialised arrays: settings of plugins have a few levels.
	maxPHPDepth = 64
	// minPHPPair is the size of the shortest pair of an array, i:0;N; in bytes.
	minPHPPair = 6
)

// unserialize returns a serialised value as JSON. It fails for objects, for lengths that do not fit
// (a text whose CR LF became LF has wrong ones) and for what JSON cannot hold; the text then stays.
func unserialize(text string) (json []byte, ok bool) {
	p := php{text: text}
	if !p.value(0) || p.at != len(text) {
		return nil, false
	}
	return p.out, true
}

type php struct {
	text string
	at   int
	out  []byte
}

func (p *php) value(depth int) bool {
	if depth > maxPHPDepth || p.at+2 > len(p.text) {
		return false
	}
	kind := p.text[p.at : p.at+2]
	p.at += 2
	switch kind {
	case "N;":
		p.out = append(p.out, "null"...)
		return true
	case "b:":
		word, ok := p.until(';')
		p.out = strconv.AppendBool(p.out, word == "1")
		return ok && (word == "0" || word == "1")
	case "i:":
		return p.integer()
	case "d:":
		return p.float()
	case "s:":
		s, ok := p.str()
		return ok && p.quote(s)
	case "a:":
		return p.array(depth)
	}
	return false
}

// until returns the text before the next c, and moves past that c.
func (p *php) until(c byte) (string, bool) {
	const longest = 64 // of a number
	rest := p.text[p.at:min(len(p.text), p.at+longest)]
	n := strings.IndexByte(rest, c)
	if n < 0 {
		return "", false
	}
	p.at += n + 1
	return rest[:n], true
}

func (p *php) integer() bool {
	word, ok := p.until(';')
	if !ok {
		return false
	}
	n, err := strconv.ParseInt(word, 10, 64)
	p.out = strconv.AppendInt(p.out, n, 10)
	return err == nil
}

func (p *php) float() bool {
	word, ok := p.until(';')
	if !ok {
		return false
	}
	f, err := strconv.ParseFloat(word, 64)
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		return false
	}
	if number := jsontext.Value(word); number.IsValid() && number.Kind() == jsontext.KindNumber {
		p.out = append(p.out, word...)
		return true
	}
	p.out = strconv.AppendFloat(p.out, f, 'g', -1, 64)
	return true
}

// str reads LENGTH:"…"; where the length is in bytes.
func (p *php) str() (string, bool) {
	n, ok := p.count(1)
	if !ok || p.at+n+3 > len(p.text) || p.text[p.at] != '"' || p.text[p.at+n+1:p.at+n+3] != `";` {
		return "", false
	}
	s := p.text[p.at+1 : p.at+1+n]
	p.at += n + 3
	return s, true
}

// count reads a number before a colon: how many things of at least size bytes follow.
func (p *php) count(size int) (int, bool) {
	word, ok := p.until(':')
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseUint(word, 10, 31)
	return int(n), err == nil && int(n) <= (len(p.text)-p.at)/size
}

func (p *php) quote(s string) bool {
	var err error
	p.out, err = jsontext.AppendQuote(p.out, s)
	return err == nil // it is UTF-8
}

// array writes an array with the keys 0, 1, 2 … as an array, any other one as an object. A key that
// comes twice fails: JSON has no such object.
func (p *php) array(depth int) bool {
	n, ok := p.count(minPHPPair)
	if !ok || p.at >= len(p.text) || p.text[p.at] != '{' {
		return false
	}
	p.at++
	start := len(p.out)
	p.out = append(p.out, '{')
	names, list, ok := p.pairs(n, depth)
	if !ok || p.at >= len(p.text) || p.text[p.at] != '}' {
		return false
	}
	p.at++
	p.out = append(p.out, '}')
	if list {
		p.dropNames(start, names)
	}
	return true
}

// pairs writes n pairs as members. It returns the places of their names in the output, and whether the names are the
// numbers from 0. An array is read once: reading it as a list first, and again as an object, takes twice the time at
// each level.
func (p *php) pairs(n, depth int) (names [][2]int, list, ok bool) {
	seen := map[string]bool{}
	list = true
	for i := range n {
		key, ok := p.key()
		if !ok || seen[key] {
			return nil, false, false
		}
		seen[key] = true
		list = list && key == strconv.Itoa(i)
		if i > 0 {
			p.out = append(p.out, ',')
		}
		from := len(p.out)
		if !p.quote(key) {
			return nil, false, false
		}
		p.out = append(p.out, ':')
		names = append(names, [2]int{from, len(p.out)})
		if !p.value(depth + 1) {
			return nil, false, false
		}
	}
	return names, list, true
}

// dropNames makes an array of the object that begins at start and ends the output.
func (p *php) dropNames(start int, names [][2]int) {
	at := start + 1
	for i, name := range names {
		end := len(p.out) - 1
		if i+1 < len(names) {
			end = names[i+1][0]
		}
		at += copy(p.out[at:], p.out[name[1]:end])
	}
	p.out = append(p.out[:at], ']')
	p.out[start] = '['
}

func (p *php) key() (string, bool) {
	switch rest := p.text[p.at:]; {
	case strings.HasPrefix(rest, "s:"):
		p.at += len("s:")
		return p.str()
	case strings.HasPrefix(rest, "i:"):
		p.at += len("i:")
		word, ok := p.until(';')
		n, err := strconv.ParseInt(word, 10, 64)
		return strconv.FormatInt(n, 10), ok && err == nil
	}
	return "", false
}
