// This file has the table of parameters for hosts, node, engine and preview.

package address

import (
	"slices"
	"strings"
)

// The parameters of lists, in addition to paths of Data, and of items. Their names are case-sensitive.
const (
	ParamName      = "searchByName"
	ParamTemplate  = "searchByTemplateName"
	ParamStatus    = "status"
	ParamCreatedBy = "searchByCreatedBy"
	ParamPage      = "page"
	ParamPageSize  = "pageSize"
	ParamSort      = "sort"
	ParamSortAsc   = "sortAsc"
	ParamSelect    = "select"  // of items too
	ParamInclude   = "include" // of items too
)

// The parameters of searches, in addition to the names of fields. Their names are not case-sensitive.
const (
	ParamSearchPage     = "Page"
	ParamSearchPageSize = "PageSize"
	ParamSearchSort     = "Sort"
	ParamSearchSortAsc  = "SortAsc"
)

// ParamEnv is the parameter of the document of OpenAPI: the only environment to describe.
const ParamEnv = "env"

// The parameters of searches with Elasticsearch's names and meaning. Elasticsearch's endpoints read
// them, too.
const (
	ParamQuery           = "q"
	ParamDefaultField    = "df"
	ParamDefaultOperator = "default_operator"
	ParamAnalyzeWildcard = "analyze_wildcard"
	ParamLenient         = "lenient"
	ParamFrom            = "from"
	ParamSize            = "size"
	ParamSource          = "_source"
	ParamSourceIncludes  = "_source_includes"
	ParamSourceExcludes  = "_source_excludes"
)

// Parameter is a row of the table of parameters.
type Parameter struct {
	Name  string // if Below, the beginning of the names
	Below bool   // names are Name, followed by a path of Data
	Kinds []Kind // the kinds of requests that read it
	// InFiles reports whether hosts map it to files. A request with any other parameter of its kind is for the
	// edge server: the file of that address would be another response.
	InFiles bool
}

// The kinds that the rows name. Addresses that are names of files have no parameters.
var (
	ofLists   = []Kind{Contents}
	ofItems   = []Kind{Contents, Item}
	ofSearch  = []Kind{Search}
	ofOpenAPI = []Kind{Description}
	ofFilters = []Kind{Contents, Search}
)

// table has the parameters of lists, items and searches. The parameters of lists come first, in the order of the
// constants below. Names of parameters of lists are case-sensitive, of searches not. Elasticsearch's endpoints have
// tables of their own (package elastic).
var table = [...]Parameter{
	paramName:      {Name: ParamName, Kinds: ofLists, InFiles: true},
	paramTemplate:  {Name: ParamTemplate, Kinds: ofLists, InFiles: true},
	paramStatus:    {Name: ParamStatus, Kinds: ofLists, InFiles: true},
	paramCreatedBy: {Name: ParamCreatedBy, Kinds: ofLists, InFiles: true},
	paramPage:      {Name: ParamPage, Kinds: ofLists, InFiles: true},
	paramSize:      {Name: ParamPageSize, Kinds: ofLists, InFiles: true},
	paramSort:      {Name: ParamSort, Kinds: ofLists, InFiles: true},
	paramAsc:       {Name: ParamSortAsc, Kinds: ofLists, InFiles: true},
	paramSelect:    {Name: ParamSelect, Kinds: ofItems},
	paramInclude:   {Name: ParamInclude, Kinds: ofItems},

	parameters: {Name: DataPrefix, Below: true, Kinds: ofFilters, InFiles: true}, // a path of Data

	{Name: FieldName, Kinds: ofSearch}, {Name: FieldTemplateName, Kinds: ofSearch}, {Name: FieldStatus, Kinds: ofSearch},
	{Name: FieldCreatedBy, Kinds: ofSearch}, {Name: FieldPublishedBy, Kinds: ofSearch}, {Name: FieldUpdatedBy, Kinds: ofSearch},
	{Name: FieldContentID, Kinds: ofSearch}, {Name: FieldTemplateID, Kinds: ofSearch},
	{Name: FieldCreatedAt, Kinds: ofSearch}, {Name: FieldData, Kinds: ofSearch},
	{Name: ParamSearchPage, Kinds: ofSearch}, {Name: ParamSearchPageSize, Kinds: ofSearch},
	{Name: ParamSearchSort, Kinds: ofSearch}, {Name: ParamSearchSortAsc, Kinds: ofSearch},
	{Name: ParamQuery, Kinds: ofSearch}, {Name: ParamDefaultField, Kinds: ofSearch}, {Name: ParamDefaultOperator, Kinds: ofSearch},
	{Name: ParamAnalyzeWildcard, Kinds: ofSearch}, {Name: ParamLenient, Kinds: ofSearch},
	{Name: ParamFrom, Kinds: ofSearch}, {Name: ParamSize, Kinds: ofSearch},
	{Name: ParamSource, Kinds: ofSearch}, {Name: ParamSourceIncludes, Kinds: ofSearch}, {Name: ParamSourceExcludes, Kinds: ofSearch},

	{Name: ParamEnv, Kinds: ofOpenAPI},
}

// Parameters returns the parameters that requests of a kind read.
func Parameters(kind Kind) (all []Parameter) {
	for _, p := range table {
		if slices.Contains(p.Kinds, kind) {
			all = append(all, p)
		}
	}
	return all
}

// ParameterNames returns the names of the parameters of lists, the filters of Filters first. Paths of Data, which are
// parameters too, are not among them.
func ParameterNames() []string { return parameterNames[:] }

// IsListParameter reports whether lists read the parameter.
func IsListParameter(name string) bool {
	_, ok := lookup(name)
	return ok || strings.HasPrefix(name, DataPrefix)
}

// parameter is a parameter of lists, other than a path of Data. Its value is a constant below, and its place in the
// table.
type parameter uint8

// The filters come first, in the order of Filters.
const (
	paramName parameter = iota
	paramTemplate
	paramStatus
	paramCreatedBy
	paramPage
	paramSize
	paramSort
	paramAsc
	paramSelect
	paramInclude
	parameters
)

var parameterNames = func() (names [parameters]string) {
	for i := range names {
		names[i] = table[i].Name
	}
	return names
}()

// itemParameters has a bit for each parameter that items read.
var itemParameters = func() (bits uint16) {
	for i := range parameters {
		if slices.Contains(table[i].Kinds, Item) {
			bits |= 1 << i
		}
	}
	return bits
}()

// maxEncodedName is the longest known name with every byte escaped.
const maxEncodedName = 3 * len(ParamTemplate)

// lookup is a switch because it runs for each parameter: the compiler compares lengths first.
func lookup(name string) (parameter, bool) {
	switch name {
	case ParamName:
		return paramName, true
	case ParamTemplate:
		return paramTemplate, true
	case ParamStatus:
		return paramStatus, true
	case ParamCreatedBy:
		return paramCreatedBy, true
	case ParamPage:
		return paramPage, true
	case ParamPageSize:
		return paramSize, true
	case ParamSort:
		return paramSort, true
	case ParamSortAsc:
		return paramAsc, true
	case ParamSelect:
		return paramSelect, true
	case ParamInclude:
		return paramInclude, true
	}
	return 0, false
}
