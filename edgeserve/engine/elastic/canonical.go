// This file writes the canonical spelling of an address, so that the spellings of one request share a cache entry.

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

// flags are the parameters that are true or false. An absent one is false.
var flags = []string{"typed_keys", "rest_total_hits_as_int", pretty}

// AppendCanonical appends the canonical spelling of an address. It leaves out parameters that no response depends on.
// The other parameters occur once, sorted by name, in one encoding, and a source has no white space. Requests of a kind
// with equal canonical addresses have equal responses. The result is false for an address that is refused.
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
		value := params[name][len(params[name])-1] // the last one counts, as in parseParams
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

// canonicalValue returns the canonical spelling of a value. given is false if the parameter has no effect with
// this value.
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
