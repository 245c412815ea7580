// Package address maps requests to canonical names and file names, and back. The generator names
// files with it, and the edge finds them. Web servers in front of the edge compute the same names
// (addresstest). The package reads no files: no file need exist for a valid name. A list's file name is
//
//	cda/rest/v1/ENV/contents-list/[name-T/][template-T/][status-T/][createdby-T/][path-T/value-T/]sort-FIELD-DIR-SIZE/page-N.json
//
// T is a token (Token): the filter's text in characters that are safe in every file system and
// object store. Different texts have different tokens.
package address

import (
	"slices"
	"strconv"
	"strings"

	"contentedge/edgeserve/wire/problem"
)

// List is a list request with defaults filled in; a filter of "" is absent. Its texts may share the
// query's memory.
type List struct {
	Name, Template, Status, CreatedBy string // compared as a whole
	Data                              DataFilters
	Sort                              string // a scalar field, or "Data." and a path
	Asc                               bool
	Page, Size                        int // both from 1
	Show                              Show
}

// Filters are the names of filters in file names and manifests, in the order of file names. They
// keep filters apart and avoid names that an operating system reserves.
var Filters = [...]string{FilterName, FilterTemplate, FilterStatus, FilterCreatedBy}

// The members of Filters.
const (
	FilterName      = "name"
	FilterTemplate  = "template"
	FilterStatus    = "status"
	FilterCreatedBy = "createdby"
)

// Filter returns the value of a filter: of Filters, or of a path of Data. It returns "" if the list has no such filter.
func (l List) Filter(name string) string {
	if strings.HasPrefix(name, DataPrefix) {
		return l.Data.Value(name)
	}
	return *l.filter(name)
}

// SetFilter sets the value of a filter: of Filters, or of a path of Data that the list has no filter by.
func (l *List) SetFilter(name, value string) {
	if strings.HasPrefix(name, DataPrefix) {
		l.Data = l.Data.with(name, value)
		return
	}
	*l.filter(name) = value
}

func (l *List) filter(name string) *string {
	i := slices.Index(Filters[:], name)
	if i < 0 {
		panic("address: unknown filter " + name)
	}
	return l.filters()[i]
}

func (l *List) filters() [len(Filters)]*string {
	return [...]*string{&l.Name, &l.Template, &l.Status, &l.CreatedBy}
}

// Pages is the number of pages of a list with total items, at least one.
func (l List) Pages(total int) int { return max(1, (total+l.Size-1)/l.Size) }

// Defaults are the values of absent list parameters. Each release has its own.
type Defaults struct {
	Sort string
	Asc  bool
	Size int
}

// Standard are the defaults of a build without options. In the order of creation times, an edit
// moves no item to another page.
var Standard = Defaults{Sort: FieldCreatedAt, Asc: false, Size: DefaultPageSize}

// TooLong is the error for a value longer than MaxValue.
func TooLong(parameter string) *Error {
	return &Error{
		Code: problem.ValueTooLong, Parameter: parameter,
		Message: "the value of " + parameter + " may have at most " + strconv.Itoa(MaxValue) + " bytes; compare with a longer one by a query in the body of a search",
	}
}

// LeftOut is the error for a filter by a path that a rule leaves out of the index.
func LeftOut(path, rule string) *Error {
	return &Error{Code: problem.PathLeftOut, Parameter: clip(path),
		Message: "no list can be filtered by " + clip(path) + ": the rule " + quote(rule) + " of the environment leaves it out of the index"}
}

// Error is an invalid query string.
type Error struct {
	Code      string // from package problem
	Message   string // the cause and the remedy
	Parameter string
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// ValidEnv reports whether s has the form of an environment ID.
func ValidEnv(s string) bool { return validName(s, maxEnv) }

// ValidID reports whether s has the form of a content item's ID.
func ValidID(s string) bool { return validName(s, maxID) }

// validName reports whether s has 1 to limit letters, digits, _ and -, and begins with a letter or a
// digit. File systems, URLs and shells keep such names unchanged.
func validName(s string, limit int) bool {
	if s == "" || len(s) > limit || s[0] == '_' || s[0] == '-' {
		return false
	}
	for i := 0; i < len(s); i++ {
		if !isNameByte(s[i]) {
			return false
		}
	}
	return true
}

func isNameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || c == '_' || c == '-'
}

// EnvDir is the directory, below the release's root, of the files of an environment's items and lists.
func EnvDir(env string) string { return restRoot[1:] + env }

// ItemFile is the path of an item's file below the release's root.
func ItemFile(env, id string) string {
	return restRoot[1:] + env + itemDir + id + fileSuffix
}

// UsedInFile is the path of the file of the items that refer to an item, below the release's root.
func UsedInFile(env, id string) string { return UsedIn.Path(env, id)[1:] }
