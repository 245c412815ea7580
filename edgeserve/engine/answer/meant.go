// This file finds the parameter that a request surely means by a name that its address does not have. Such a request is
// refused: ignoring the name would return everything.

package answer

import (
	"slices"
	"strings"
	"sync"

	"contentedge/edgeserve/engine/pattern"
	"contentedge/edgeserve/wire/address"
)

// vocabulary has the parameters of an address, and what other interfaces call them.
type vocabulary struct {
	of      string            // what the address is
	known   func() []spelling // the names of its parameters
	foreign map[string]string // names that it does not have, as plainName returns them, and what to write instead
}

// spelling is the name of a parameter, and what to write for it.
type spelling struct {
	plain, write string
	like         [pattern.MaxEdits + 1]*pattern.Fuzzy // by the number of wrong letters
}

// The advice for names that several interfaces use in the same sense.
const (
	dataPath  = address.DataPrefix + "<path>"
	inBody    = "a query in the body of a search"
	inList    = "no list has this parameter"
	inSearch  = "no search has this parameter"
	listNames = address.ParamName + ", " + address.ParamTemplate + ", " + address.ParamStatus + ", " + address.ParamCreatedBy + " or " + dataPath
)

var listVocabulary = vocabulary{
	of:    inList,
	known: sync.OnceValue(func() []spelling { return spellings(address.Contents) }),
	foreign: foreignNames(map[string]string{
		address.ParamPageSize:                                              "limit size perpage pagelimit pagesize take top maxresults",
		address.ParamPage + ", which counts pages from 1":                  "offset skip from start pagenumber pageno pageoffset startindex",
		"a POST of a search, with " + address.ParamQuery + " or " + inBody: "q query search searchterm keyword keywords",
		listNames:                   "filter filters where",
		address.DataPrefix + "slug": "slug",
		address.ParamSort + " and " + address.ParamSortAsc: "order orderby sortby sortorder sortdir sortdirection sortfield",
		address.ParamSelect:                            "fields",
		address.ParamInclude:                           "populate expand",
		address.ParamName:                              address.FieldName,
		address.ParamTemplate:                          address.FieldTemplateName,
		"the id in the path, after a slash":            address.FieldContentID,
		"a search, which has it":                       strings.Join([]string{address.FieldPublishedBy, address.FieldUpdatedBy, address.FieldTemplateID, address.FieldCreatedAt}, " "),
		"a range of the field in the body of a search": address.FieldUpdatedAt + " " + address.FieldPublishedAt,
		address.ParamCreatedBy:                         address.FieldCreatedBy,
	}),
}

var searchVocabulary = vocabulary{
	of:    inSearch,
	known: sync.OnceValue(func() []spelling { return spellings(address.Search) }),
	foreign: foreignNames(map[string]string{
		address.ParamSize:                        "limit perpage pagelimit take top maxresults",
		address.ParamFrom:                        "offset skip start startindex pageoffset",
		address.ParamSearchPage:                  "pagenumber pageno",
		address.ParamQuery:                       "query search searchterm keyword keywords",
		"a field, " + dataPath + " or " + inBody: "filter filters where",
		address.DataPrefix + "slug":              "slug",
		address.ParamSearchSort:                  "order orderby sortby sortorder sortdir sortdirection sortfield",
		address.ParamSource:                      "fields " + address.ParamSelect,
		address.FieldName:                        address.ParamName,
		address.FieldTemplateName:                address.ParamTemplate,
		address.FieldCreatedBy:                   address.ParamCreatedBy,
		"a range of the field in the body":       address.FieldUpdatedAt + " " + address.FieldPublishedAt,
	}),
}

// foreignNames inverts a table from what to write to the names that stand for it.
func foreignNames(byAdvice map[string]string) map[string]string {
	all := map[string]string{}
	for advice, names := range byAdvice {
		for name := range strings.FieldsSeq(names) {
			all[plainName(name)] = advice
		}
	}
	return all
}

func spellings(kind address.Kind) (all []spelling) {
	for _, p := range address.Parameters(kind) {
		s := spelling{plain: plainName(strings.TrimSuffix(p.Name, ".")), write: p.Name}
		if p.Below {
			s.write = dataPath
		}
		for wrong := range s.like {
			s.like[wrong] = pattern.CompileFuzzy(s.plain, wrong, 0)
		}
		all = append(all, s)
	}
	return all
}

// Names of fewer letters are too likely to mean something else if a letter differs, or if two do.
const (
	lettersForOneWrong = 4
	lettersForTwoWrong = 6
)

// distance returns how many letters of a plain name are wrong. ok is false if too many are.
func (s *spelling) distance(plain string) (wrong int, ok bool) {
	allowed := 0
	switch letters := min(len(s.plain), len(plain)); {
	case letters >= lettersForTwoWrong:
		allowed = 2
	case letters >= lettersForOneWrong:
		allowed = 1
	}
	if len(plain) > len(s.plain)+allowed*4 { // in bytes
		return 0, false
	}
	return s.like[allowed].Distance([]byte(plain))
}

// meant returns what to write instead of a name that the address does not have. It returns "" if the name may have
// nothing to do with the address.
func (v *vocabulary) meant(name string) string {
	if len(name) > address.MaxToken {
		return ""
	}
	if write := v.find(plainName(name)); write != "" {
		return write
	}
	if base := strings.IndexAny(name, "[."); base > 0 { // filter[Name], page[size], data.title
		return v.find(plainName(name[:base]))
	}
	return ""
}

func (v *vocabulary) find(plain string) (write string) {
	if write = v.foreign[plain]; write != "" {
		return write
	}
	known := v.known()
	least := pattern.MaxEdits + 1
	for i := range known {
		if wrong, ok := known[i].distance(plain); ok && wrong < least {
			write, least = known[i].write, wrong
		}
	}
	return write
}

// plainName is a name in lower case, without the characters by which interfaces differ: page_size, pageSize, page[size].
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("_-$[]", r) {
			return -1
		}
		return r
	}, lower(name))
}

// refuse returns an error for a name that the address does not have, nil if the name is to be ignored. It refuses all names
// if strict is set.
func (v *vocabulary) refuse(name string, strict bool) error {
	if name == "" {
		return nil
	}
	if write := v.meant(name); write != "" {
		return address.UnknownParameter(name, v.of+": write "+write)
	}
	if !strict {
		return nil
	}
	var all []string
	for _, s := range v.known() {
		all = append(all, s.write)
	}
	return address.UnknownParameter(name, v.of+": write one of "+strings.Join(slices.Compact(all), ", "))
}

// checkListParameters returns an error for the first parameter that lists do not have, and that is not to be ignored.
func checkListParameters(query string, strict bool) error {
	for query != "" {
		var pair string
		pair, query, _ = strings.Cut(query, "&")
		name, _, _ := strings.Cut(pair, "=")
		decoded, ok := unescape(name)
		if !ok {
			decoded = name
		}
		if address.IsListParameter(decoded) {
			continue
		}
		if err := listVocabulary.refuse(decoded, strict); err != nil {
			return err
		}
	}
	return nil
}
