// Package address gives every request of the interface one canonical name and every
// list and item one file name, and turns both back. The generator names its files
// with it, the edge finds them with it, and the hosts between the two compute the same
// names from the request as it was sent (Map).
//
// A list's file spells out filters, order, page size and page:
//
//	cda/rest/v1/ENV/contents-list/[name-T/][template-T/][status-T/][createdby-T/]sort-FIELD-DIR-SIZE/page-N.json
//
// T is a token (Token): the filter's text in characters that every file system and
// object store keeps apart, so that two different texts never share a file.
//
// Nothing here reads a file: a name that is well formed need not exist.
package address

import (
	"slices"
	"strconv"
)

// List is one request for a list, everything spelled out. An empty filter is absent.
// Its strings may share memory with the query string they were parsed from.
type List struct {
	Name, Template, Status, CreatedBy string // whole values to compare with
	Sort                              string // a scalar field or "Data." and a path
	Asc                               bool
	Page, Size                        int // both from 1
}

// Filters are the names of a list's filters, as file names and manifests have them and in
// their order. Package release, which knows no addresses, has the same ones.
var Filters = [...]string{"name", "template", "status", "createdby"}

// Filter is the value that a list compares with by a filter of Filters, "" for none.
func (l List) Filter(name string) string { return *l.filter(name) }

// SetFilter makes a list compare by a filter of Filters.
func (l *List) SetFilter(name, value string) { *l.filter(name) = value }

func (l *List) filter(name string) *string {
	switch name {
	case "name":
		return &l.Name
	case "template":
		return &l.Template
	case "status":
		return &l.Status
	case "createdby":
		return &l.CreatedBy
	}
	panic("address: there is no filter " + name)
}

// Pages is how many pages a list of so many items has: at least one.
func (l List) Pages(total int) int { return max(1, (total+l.Size-1)/l.Size) }

// Defaults is what a list request means where it is silent. A release publishes its own.
type Defaults struct {
	Sort string
	Asc  bool
	Size int
}

// Standard is the order and page size of a release that was built without further
// options. Creation time is an order in which an edit moves no other item.
var Standard = Defaults{Sort: "CreatedAt", Asc: false, Size: 10}

// The limits of a list request.
const (
	// MaxSize is the largest page: a search returns no more hits either.
	MaxSize = 10000
	// maxPage keeps page*size far from overflow.
	maxPage = 999_999_999
	// maxFilePage is the last page that has a file name: seven digits, which hosts
	// can check by length.
	maxFilePage = 9_999_999
	// maxEnv keeps the longest file name below an object store's 1,024 bytes.
	maxEnv = 64
	// maxID leaves room for ".json.gz" within a file name's 255 bytes.
	maxID = 128
	// MaxValue is how many bytes a filter's value may have: no name or title is longer,
	// and no file or object of any store is named so. It bounds what a request repeats in
	// cache keys and in the head of its response. A query in the body of a search compares
	// with longer values.
	MaxValue = 1024
)

// TooLong is the error of a parameter whose value has more than MaxValue bytes.
func TooLong(parameter string) *Error {
	return &Error{
		Code: "value_too_long", Parameter: parameter,
		Message: "the value of " + parameter + " may have at most " + strconv.Itoa(MaxValue) + " bytes; compare with a longer one by a query in the body of a search",
	}
}

// Error is a query string that cannot be answered: the caller's fault.
type Error struct {
	Code      string // bad_page, bad_page_size, bad_sort, bad_sort_asc, bad_query, duplicate_parameter or value_too_long
	Message   string // what is wrong and what to do
	Parameter string // the parameter's name
}

// Error gives the message.
func (e *Error) Error() string { return e.Message }

// scalarFields are the fields that a list can be sorted by, as the interface orders them.
var scalarFields = [...]string{
	"Status", "CreatedBy", "CreatedAt", "PublishedBy", "UpdatedAt", "Name",
	"PublishedAt", "UpdatedBy", "TemplateName", "TemplateID", "ContentID",
}

// fileFields are scalarFields as file names spell them.
var fileFields = [len(scalarFields)]string{
	"status", "createdby", "createdat", "publishedby", "updatedat", "name",
	"publishedat", "updatedby", "templatename", "templateid", "contentid",
}

// ScalarFields lists the eleven top-level fields that hold one value.
func ScalarFields() []string { return slices.Clone(scalarFields[:]) }

// IsScalar reports whether name is one of ScalarFields.
func IsScalar(name string) bool { return slices.Contains(scalarFields[:], name) }

// ValidEnv reports whether s can be an environment's id.
func ValidEnv(s string) bool { return validName(s, maxEnv) }

// ValidID reports whether s can be a content item's id.
func ValidID(s string) bool { return validName(s, maxID) }

// validName reports whether s has 1 to limit letters, digits, _ and -, and begins with
// a letter or a digit: names that no file system, URL or shell changes.
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

// ItemFile is the name of an item's file, below the release's root.
func ItemFile(env, id string) string {
	return restRoot + env + itemDir + id + fileSuffix
}
