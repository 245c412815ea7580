// This file knows the header fields that a response has whoever gives it, so that all servers
// send the same.

package servebench

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/release"
)

// fields are the header fields of responses of each class that do not depend on the body, names
// and values. In addition a server sends what it makes by itself.
type fields [release.Classes][][2]string

// fieldsOf returns the fields of a release, by the standard policy.
func fieldsOf(build string) (all fields) {
	policy := release.Standard()
	for class := range all {
		own := append(policy.Fields(release.Class(class), release.Vary), release.OriginFields(release.AnyOrigin)...)
		for _, f := range append(own, httpfield.New(httpfield.Release, build)) {
			all[class] = append(all[class], [2]string{f.Name(), f.Value()})
		}
	}
	return all
}

// lines are the fields of a class in a configuration.
func (f fields) lines(format string, class release.Class) string {
	var b strings.Builder
	for _, field := range f[class] {
		fmt.Fprintf(&b, format, field[0], field[1])
	}
	return b.String()
}

// missing is the first field of a class that a response does not have as it should be. It
// may have it twice: Caddy sends its own Vary too.
func (f fields) missing(class release.Class, h http.Header) error {
	for _, field := range f[class] {
		if got := slices.Compact(h.Values(field[0])); len(got) != 1 || got[0] != field[1] {
			return fmt.Errorf("%s is %q, not %q", field[0], got, field[1])
		}
	}
	return nil
}
