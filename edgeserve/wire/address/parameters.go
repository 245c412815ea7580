// This file has the names of parameters for hosts, node, engine and preview.

package address

// The parameters of lists. Their names are case-sensitive.
const (
	ParamName      = "searchByName"
	ParamTemplate  = "searchByTemplateName"
	ParamStatus    = "status"
	ParamCreatedBy = "searchByCreatedBy"
	ParamPage      = "page"
	ParamPageSize  = "pageSize"
	ParamSort      = "sort"
	ParamSortAsc   = "sortAsc"
	ParamInclude   = "include" // of items, too
)

// The parameters of searches, beside the names of fields. Their names are not case-sensitive.
const (
	ParamSearchPage     = "Page"
	ParamSearchPageSize = "PageSize"
	ParamSearchSort     = "Sort"
	ParamSearchSortAsc  = "SortAsc"
)

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
	parameters
)

var parameterNames = [parameters]string{ParamName, ParamTemplate, ParamStatus, ParamCreatedBy, ParamPage, ParamPageSize, ParamSort, ParamSortAsc}

// ParameterNames returns the names of the parameters of a list, the filters first.
func ParameterNames() []string { return parameterNames[:] }

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
	}
	return 0, false
}
