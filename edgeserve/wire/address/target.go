// This file reads request targets and lists of methods.

package address

import "strings"

// SplitTarget splits a request target into path and query, without authority. It decodes nothing.
func SplitTarget(target string) (path, query string) {
	absolute := false
	if !strings.HasPrefix(target, "/") {
		var rest string
		if _, rest, absolute = strings.Cut(target, "://"); absolute {
			target = rest[strings.IndexAny(rest+"/", "/?"):]
		}
	}
	path, query, _ = strings.Cut(target, "?")
	if absolute && path == "" {
		path = "/"
	}
	return path, query
}

// AllowOf is the value of the field Allow for a request target and the kind of its path; false for an
// unknown path.
func AllowOf(target string) (kind Kind, allow string, ok bool) {
	path, _ := SplitTarget(target)
	for _, probe := range [...]Kind{Live, Ready, Home} {
		if path == ofKind[probe].Pattern {
			return probe, probe.Allow(), true
		}
	}
	route, ok := ParsePath(path)
	return route.Kind, route.Kind.Allow(), ok
}

// Takes reports whether the value of a field Allow lists a method.
func Takes(allow, method string) bool {
	for name := range strings.SplitSeq(allow, ", ") {
		if name == method {
			return true
		}
	}
	return false
}
