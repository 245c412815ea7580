// This file writes the one spelling of an address whose other spellings mean the same.

package elastic

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"

	"contentedge/edgeserve/wire/address"
)

// flags are the parameters that are true or false, and false without one.
var flags = []string{"typed_keys", "rest_total_hits_as_int", pretty}

// AppendCanonical appends an address without the parameters that no response depends on, the others
// once, by name, in one encoding, and a source without white space. Requests of a kind with equal
// canonical addresses have equal responses. It returns false for an address that is refused.
func AppendCanonical(dst []byte, kind address.Kind, target []byte) ([]byte, bool) {
	path, query, _ := bytes.Cut(target, []byte("?"))
	dst = append(dst, path...)
	if len(query) == 0 {
		return dst, true
	}
	params, err := url.ParseQuery(string(query))
	if err != nil {
		return dst, false
	}
	known, separator := strings.Fields(endpoints[kind].params), byte('?')
	for _, name := range slices.Sorted(maps.Keys(params)) {
		value := params[name][len(params[name])-1] // as in parseParams
		if harmless[name] != nil && !harmless[name](value) {
			return dst, false
		}
		if !slices.Contains(known, name) && (slices.Contains(ignored, name) || slices.Contains(mustBeFalse, name) && value == "false" || name == "format" && value == "json") {
			continue
		}
		if value, given := canonicalValue(name, value); given {
			dst = append(append(append(dst, separator), url.QueryEscape(name)...), '=')
			dst = append(dst, url.QueryEscape(value)...)
			separator = '&'
		}
	}
	return dst, true
}

// canonicalValue returns the one spelling of a value. given is false if the parameter might as well be
// absent.
func canonicalValue(name, value string) (canonical string, given bool) {
	switch {
	case slices.Contains(flags, name):
		if value == "" {
			value = "true"
		}
		return value, value != "false"
	case name == ignoreUnavailable:
		return value, value == "true"
	case name == allowNoIndices:
		return value, value == "false"
	case name == "source":
		var compact bytes.Buffer
		if json.Compact(&compact, []byte(value)) == nil {
			value = compact.String()
		}
		return value, value != ""
	}
	return value, true
}
