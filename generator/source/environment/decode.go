// This file decodes values strictly: each value of the wrong type and each unknown key is a fault with its place, and
// decoding continues.

package environment

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"contentedge/edgeserve/engine/pattern"
	"contentedge/edgeserve/wire/jsoncursor"
	"contentedge/generator/source/documents"
	"contentedge/generator/source/jsonscan"
	"contentedge/generator/source/record"
)

// maxFaults is how many faults of a file are listed.
const maxFaults = 50

// maxValues bounds the lists and mappings of the file, rules aside.
const maxValues = 10_000

type decoder struct {
	rec    record.Record
	faults []record.Fault
	more   int // faults that are not listed
}

// fault reports what is wrong at an offset.
func (d *decoder) fault(at int, message, hint string) {
	d.report(record.Fault{Place: d.rec.Place(at), Message: message, Hint: hint})
}

func (d *decoder) report(f record.Fault) {
	if len(d.faults) >= maxFaults {
		d.more++
		return
	}
	d.faults = append(d.faults, f)
}

// kind reports whether the value of a key begins with first, or reports that it is not what it must be.
func (d *decoder) kind(key string, at int, first byte, must string) bool {
	if d.rec.JSON[at] == first {
		return true
	}
	d.fault(at, fmt.Sprintf("%s must be %s, not %s", key, must, jsonscan.KindName(d.rec.JSON[at])), "")
	return false
}

// text decodes a string that is not empty.
func (d *decoder) text(key string, at int) string {
	if !d.kind(key, at, '"', "a text") {
		return ""
	}
	text := string(jsoncursor.StringAt(d.rec.JSON, at))
	if strings.TrimSpace(text) == "" {
		d.fault(at, key+" is empty", "leave it out, or give it a value")
		return ""
	}
	return text
}

// members calls do with each member of the object that is the value of a key: with the name and the
// offsets of name and value.
func (d *decoder) members(key string, at int, do func(name string, nameAt, at int)) {
	if !d.kind(key, at, '{', "a mapping") {
		return
	}
	d.children(key, at, "members", func(name []byte, nameAt, at int) { do(string(jsoncursor.Unquote(name)), nameAt, at) })
}

// elements calls do with the offset of each element of the list that is the value of a key.
func (d *decoder) elements(key string, at int, do func(at int)) {
	if !d.kind(key, at, '[', "a list") {
		return
	}
	d.children(key, at, "entries", func(_ []byte, _, at int) { do(at) })
}

func (d *decoder) children(key string, at int, things string, do func(name []byte, nameAt, at int)) {
	n := 0
	jsoncursor.Children(d.rec.JSON, at, func(name []byte, child int) int {
		if n++; n <= maxValues {
			do(name, child-1-len(name), child)
		}
		return jsoncursor.ValueEnd(d.rec.JSON, child)
	})
	switch {
	case n == 0:
		d.fault(at, fmt.Sprintf("%s is empty", key), "leave it out, or give it "+things)
	case n > maxValues:
		d.fault(at, fmt.Sprintf("%s has %d %s; at most %d are allowed", key, n, things, maxValues), "")
	}
}

// field decodes the value of a key at an offset.
type field struct {
	name   string
	decode func(at int)
}

// object decodes a mapping of known keys.
func (d *decoder) object(key string, at int, fields []field) {
	d.members(key, at, func(name string, nameAt, at int) {
		for _, f := range fields {
			if f.name == name {
				f.decode(at)
				return
			}
		}
		names := make([]string, len(fields))
		for i, f := range fields {
			names[i] = f.name
		}
		d.fault(nameAt, "the key "+documents.Quoted(name)+" is not known here", choices(name, names))
	})
}

// word decodes a text that is one of some words.
func (d *decoder) word(key string, at int, words []string) string {
	text := d.text(key, at)
	if text != "" && !slices.Contains(words, text) {
		d.fault(at, fmt.Sprintf("%s is %s, which is not known", key, documents.Quoted(text)), choices(text, words))
		return ""
	}
	return text
}

// list writes the words of a JSON array that has only strings.
func (d *decoder) texts(key string, at int, do func(text string, at int)) {
	d.elements(key, at, func(at int) {
		if text := d.text(key, at); text != "" {
			do(text, at)
		}
	})
}

// choices returns the hint for an unknown word.
func choices(word string, known []string) string {
	hint := "known are " + strings.Join(known, ", ")
	for _, k := range known {
		if near(word, k) {
			return "did you mean " + k + "? " + hint
		}
	}
	return hint
}

// near reports whether a word may misspell another: another case, or a letter or two.
func near(word, known string) bool {
	const (
		longest        = 64
		lettersPerEdit = 3
	)
	if len(word) > longest {
		return false
	}
	word, known = strings.ToLower(word), strings.ToLower(known)
	allowed := min(pattern.MaxEdits, min(utf8.RuneCountInString(word), utf8.RuneCountInString(known))/lettersPerEdit)
	return pattern.CompileFuzzy(known, allowed, 0).Match([]byte(word))
}
