// This file knows the header fields that an answer has whoever gives it, so that all servers
// send the same.

package servebench

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"contentedge/edgeserve/release"
)

// fields are those that do not depend on the body, of answers of each class. Beside them a
// server sends what it makes by itself.
type fields [release.Classes][]field

type field struct{ name, value string }

// fieldsOf are those of a release, by the standard policy.
func fieldsOf(build string) (all fields) {
	for class := range all {
		all[class] = []field{
			{release.Header, build},
			{"X-Content-Type-Options", release.NoSniff},
			{"Vary", release.Vary},
			{"Cache-Control", release.CacheControl(release.Class(class))},
			{"Access-Control-Allow-Origin", release.AnyOrigin},
			{"Access-Control-Expose-Headers", release.ExposeHeaders},
		}
	}
	return all
}

// lines are the fields of a class in a configuration.
func (f fields) lines(format string, class release.Class) string {
	var b strings.Builder
	for _, one := range f[class] {
		fmt.Fprintf(&b, format, one.name, one.value)
	}
	return b.String()
}

// missing is the first field of a class that an answer does not have as it should be. It
// may have it twice: Caddy sends its own Vary too.
func (f fields) missing(class release.Class, h http.Header) error {
	for _, one := range f[class] {
		if got := slices.Compact(h.Values(one.name)); len(got) != 1 || got[0] != one.value {
			return fmt.Errorf("%s is %q, not %q", one.name, got, one.value)
		}
	}
	return nil
}
