// This file finds the values of a path in a fragment, as Elasticsearch reads them from a source.

package envelope

import (
	"encoding/json"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// AppendValues appends the scalars of a path in a fragment as text: strings, numbers as Java
// prints them, booleans. A member's name may hold dots. Arrays add nothing to a path, and what
// follows a scalar in the path is the name of a sub-field.
func AppendValues(dst []string, fragment []byte, path string) []string {
	v := valueReader{src: fragment, values: dst}
	v.at(0, path, 0)
	return v.values
}

// AppendPathValues is AppendValues for the path of a field, which has no name of a sub-field.
func AppendPathValues(dst []string, fragment []byte, path string) []string {
	v := valueReader{src: fragment, values: dst, whole: true}
	v.at(0, path, 0)
	return v.values
}

type valueReader struct {
	whole  bool // nothing of the path may follow a scalar
	src    []byte
	name   []byte
	values []string
}

// at reads the value at i; path is what leads further into it.
func (v *valueReader) at(i int, path string, depth int) {
	if i >= len(v.src) || depth > maxSourceDepth {
		return
	}
	switch v.src[i] {
	case '{':
		if path != "" {
			v.member(i, path, depth)
		}
	case '[':
		for i++; i < len(v.src) && v.src[i] != ']'; i++ {
			v.at(i, path, depth+1)
			if i = skipValue(v.src, i); i < 0 || i >= len(v.src) || v.src[i] != ',' {
				return
			}
		}
	default:
		if path == "" || !v.whole {
			v.scalar(i)
		}
	}
}

// member reads the member of the object at i that a path begins with: the shortest name that the
// object has.
func (v *valueReader) member(i int, path string, depth int) {
	best, rest := -1, len(path)+1
	shortest := len(path)
	if n := strings.IndexByte(path, '.'); n >= 0 {
		shortest = n
	}
	for i++; i < len(v.src) && v.src[i] == '"'; i++ {
		value := skipString(v.src, i)
		if value < 0 || value+1 >= len(v.src) || v.src[value] != ':' {
			return
		}
		v.name = appendName(v.name[:0], v.src[i:value])
		value++
		if n := len(v.name); n < rest && strings.HasPrefix(path, string(v.name)) && (n == len(path) || path[n] == '.') && v.src[value] != 'n' {
			if best, rest = value, n; n == shortest {
				break
			}
		}
		if i = skipValue(v.src, value); i < 0 || i >= len(v.src) || v.src[i] != ',' {
			break
		}
	}
	if best >= 0 {
		v.at(best, strings.TrimPrefix(path[rest:], "."), depth+1)
	}
}

func (v *valueReader) scalar(i int) {
	end := skipValue(v.src, i)
	if end < 0 || v.src[i] == 'n' {
		return
	}
	text := v.src[i:end]
	switch {
	case text[0] != '"':
		v.values = append(v.values, javaNumber(string(text)))
	case slices.Contains(text, '\\'):
		var s string
		_ = json.Unmarshal(text, &s) // leaves s empty if it fails
		v.values = append(v.values, s)
	default:
		v.values = append(v.values, string(text[1:len(text)-1]))
	}
}

// javaNumber prints a number of JSON as Java does that has parsed it; other words stay.
func javaNumber(text string) string {
	if text == "true" || text == "false" {
		return text
	}
	if strings.ContainsAny(text, ".eE") {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return text
		}
		return string(AppendFloat(nil, f, 64))
	}
	if n, ok := new(big.Int).SetString(text, 10); ok && len(text) < maxInteger {
		return n.String()
	}
	return text
}

// maxInteger limits the digits of integers that are parsed, which takes quadratic time.
const maxInteger = 1000
