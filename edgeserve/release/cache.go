// This file holds how long each kind of answer may be kept by caches. Nobody purges
// them after a build unless somebody sets that up, so the times are those after which
// an edit has to be visible.

package release

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Class is a kind of answer, as caches see it.
type Class int

// The classes of answers.
const (
	ClassError      Class = iota // failures, and refusals without a class of their own
	ClassItem                    // an item
	ClassList                    // a page of a list
	ClassSearch                  // hits
	ClassNotFound                // 404
	ClassBadRequest              // 400 to a target or body that could be read
	ClassSnapshot                // a file whose name changes with its content
	ClassManifest                // what tells which release is current
	Classes                      // how many there are
)

// Policy is the Cache-Control value of each class.
type Policy [Classes]string

// standardPolicy has no stale-while-revalidate for lists: pages of two builds would be
// read as one list. A 404 becomes an item with the next build, a 400 stays one.
var standardPolicy = Policy{
	ClassError:      "no-store",
	ClassItem:       "public, max-age=60, s-maxage=300, stale-while-revalidate=600, stale-if-error=86400",
	ClassList:       "public, max-age=30, s-maxage=30, stale-if-error=86400",
	ClassSearch:     "public, max-age=0, s-maxage=30",
	ClassNotFound:   "public, max-age=10",
	ClassBadRequest: "public, max-age=60",
	ClassSnapshot:   "public, max-age=31536000, immutable",
	ClassManifest:   "no-cache",
}

// classNames are the classes that an operator sets, as command lines call them.
var classNames = [...]string{
	ClassError: "error", ClassItem: "item", ClassList: "list", ClassSearch: "search", ClassNotFound: "not-found", ClassBadRequest: "bad-request",
}

// String is the class as command lines call it.
func (c Class) String() string {
	if c >= 0 && int(c) < len(classNames) {
		return classNames[c]
	}
	return fmt.Sprintf("Class(%d)", int(c))
}

// Set changes the value of a class, called error, item, list, search, not-found or
// bad-request.
func (p *Policy) Set(name, value string) error {
	class := slices.Index(classNames[:], name)
	if class < 0 {
		return fmt.Errorf("%q is no class of answers; there are %s", name, strings.Join(classNames[:], ", "))
	}
	p[class] = value
	return p.Validate()
}

// Standard is the policy of a public node.
func Standard() Policy { return standardPolicy }

// NoStore is the policy of a preview: nothing is kept.
func NoStore() (p Policy) {
	for c := range p {
		p[c] = "no-store"
	}
	return p
}

// CacheControl is the value of the Cache-Control header for a class; that of ClassError
// for one that does not exist.
func (p *Policy) CacheControl(c Class) string {
	if c < 0 || c >= Classes {
		c = ClassError
	}
	return p[c]
}

// CacheControl is that of the standard policy.
func CacheControl(c Class) string { return standardPolicy.CacheControl(c) }

// Validate reports the first value that is no list of cache directives.
func (p *Policy) Validate() error {
	for c, value := range p {
		if !directives.MatchString(value) {
			return fmt.Errorf("the Cache-Control %q of class %s is not a list of directives such as %q", value, Class(c), standardPolicy[ClassList])
		}
	}
	return nil
}

// directives is the grammar of RFC 9111, 5.2: tokens with an optional argument.
var directives = regexp.MustCompile("^" + directive + "(?:, ?" + directive + ")*$")

const directive = "[!#$%&'*+.^_`|~0-9A-Za-z-]+(?:=(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+|\"[\t !#-\\[\\]-~]*\"))?"

// ErrorClass is the class of an answer with a status other than 200.
func ErrorClass(status int) Class {
	switch status {
	case 400:
		return ClassBadRequest
	case 404:
		return ClassNotFound
	}
	return ClassError
}
