// This file has the Cache-Control values by class of response. Usually caches are not purged after a build: clients see
// an edit only after these times.

package release

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/httpfield"
)

// Class is a class of responses with one Cache-Control value.
type Class int

const (
	ClassError Class = iota // errors without another class
	ClassItem
	ClassList
	ClassSearch
	ClassNotFound
	ClassBadRequest // 400 for a well-formed request
	ClassSnapshot   // a snapshot or another file whose name depends on its content
	ClassMedia
	ClassManifest // files that name the current release
	Classes       // number of classes
)

// ClassOf is the class of successful responses to requests of a kind.
func ClassOf(k address.Kind) Class {
	switch k.Group() {
	case address.Items:
		return ClassItem
	case address.Lists:
		return ClassList
	case address.Searches:
		return ClassSearch
	case address.MediaFiles:
		return ClassMedia
	}
	return ClassError
}

// Policy is the Cache-Control value of each class.
type Policy [Classes]string

// standardPolicy has no stale-while-revalidate for lists, because clients would combine
// pages of two builds. A 404 is cached for less time than a 400: the next build may add the
// missing item, but a bad request stays bad.
var standardPolicy = Policy{
	ClassError:      "no-store",
	ClassItem:       "public, max-age=60, s-maxage=300, stale-while-revalidate=600, stale-if-error=86400",
	ClassList:       "public, max-age=30, s-maxage=30, stale-if-error=86400",
	ClassSearch:     "public, max-age=0, s-maxage=30",
	ClassNotFound:   "public, max-age=10",
	ClassBadRequest: "public, max-age=60",
	ClassSnapshot:   "public, max-age=31536000, immutable",
	ClassMedia:      "public, max-age=31536000, immutable",
	ClassManifest:   "no-cache",
}

var classNames = [...]string{
	ClassError: "error", ClassItem: "item", ClassList: "list", ClassSearch: "search", ClassNotFound: "not-found", ClassBadRequest: "bad-request",
}

// String is the class's name on the command line.
func (c Class) String() string {
	if c >= 0 && int(c) < len(classNames) {
		return classNames[c]
	}
	return fmt.Sprintf("Class(%d)", int(c))
}

// Set changes the value of error, item, list, search, not-found or bad-request.
func (p *Policy) Set(name, value string) error {
	class := slices.Index(classNames[:], name)
	if class < 0 {
		return fmt.Errorf("%q is not a class of responses; the classes are %s", name, strings.Join(classNames[:], ", "))
	}
	p[class] = value
	return p.Validate()
}

// Standard is the policy of a public node.
func Standard() Policy { return standardPolicy }

// NoStore is the policy of a preview.
func NoStore() (p Policy) {
	for c := range p {
		p[c] = "no-store"
	}
	return p
}

// CacheControl is the value of a class; unknown classes get the value of ClassError.
func (p *Policy) CacheControl(c Class) string {
	if c < 0 || c >= Classes {
		c = ClassError
	}
	return p[c]
}

// CacheControl is the value of a class in the standard policy.
func CacheControl(c Class) string { return standardPolicy.CacheControl(c) }

// Validate reports the first value that is not a list of directives.
func (p *Policy) Validate() error {
	for c, value := range p {
		if !areDirectives(value) {
			return fmt.Errorf("the Cache-Control %q of class %s is not a list of directives such as %q", value, Class(c), standardPolicy[ClassList])
		}
	}
	return nil
}

// areDirectives reports whether a value has the grammar of RFC 9111, 5.2: tokens with optional arguments.
func areDirectives(value string) bool {
	for rest := []byte(value); ; {
		n := httpfield.TokenLength(rest)
		if n == 0 {
			return false
		}
		if rest = rest[n:]; len(rest) > 0 && rest[0] == '=' {
			if n = argumentLength(rest[1:]); n == 0 {
				return false
			}
			rest = rest[1+n:]
		}
		if len(rest) == 0 {
			return true
		}
		if rest[0] != ',' {
			return false
		}
		rest = bytes.TrimPrefix(rest[1:], []byte(" "))
	}
}

// argumentLength returns the length of the token or the quoted text at the beginning of b, or 0. A quoted text
// escapes nothing.
func argumentLength(b []byte) int {
	if len(b) == 0 || b[0] != '"' {
		return httpfield.TokenLength(b)
	}
	for i, c := range b[1:] {
		switch {
		case c == '"':
			return i + 2
		case c == '\\' || c < ' ' && c != '\t' || c > '~':
			return 0
		}
	}
	return 0
}

// ErrorClass is the class of a status other than 200.
func ErrorClass(status int) Class {
	switch status {
	case 400:
		return ClassBadRequest
	case 404:
		return ClassNotFound
	}
	return ClassError
}
