// This file has the texts and the schemas of parameters. Their names come from the tables of packages address and
// elastic.

package openapi

import (
	"regexp"
	"slices"
	"strings"

	"contentedge/edgeserve/engine/elastic"
	"contentedge/edgeserve/wire/address"
)

// parameter describes a parameter in addition to the tables.
type parameter struct {
	text   string
	schema object
}

var (
	text     = object{{"type", "string"}}
	value    = object{{"type", "string"}, {"maxLength", address.MaxValue}}
	flag     = object{{"type", "boolean"}}
	onOrOff  = object{{"enum", []any{true, false, ""}}} // most are true without a value
	anyCase  = object{{"type", "string"}, {"pattern", "^([Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])$"}}
	pageSize = object{{"type", "integer"}, {"minimum", 1}, {"maximum", address.MaxSize}}
	pageNo   = object{{"type", "integer"}, {"minimum", 1}, {"maximum", address.MaxPage}}
	window   = object{{"type", "integer"}, {"minimum", 0}, {"maximum", address.MaxSize}}
)

// listParameters are the parameters of lists. Items read some.
var listParameters = map[string]parameter{
	address.ParamName:      {text: "The whole `Name`", schema: value},
	address.ParamTemplate:  {text: "The whole `TemplateName`", schema: value},
	address.ParamStatus:    {text: "The whole `Status`", schema: value},
	address.ParamCreatedBy: {text: "The whole `CreatedBy`", schema: value},
	address.ParamPage:      {text: "The page, from 1. A page after the last one is empty", schema: pageNo},
	address.ParamPageSize:  {text: "How many items a page has", schema: pageSize},
	address.ParamSort:      {text: "A field of items, or a path of `Data`, such as `Data.title`", schema: object{{"type", "string"}, {"anyOf", []object{{{"enum", address.ScalarFields()}}, {{"pattern", `^Data\..+`}}}}}},
	address.ParamSortAsc:   {text: "Ascending", schema: anyCase},
	address.ParamSelect:    {text: "The members that items show, separated by commas, such as `Name,Data.title`; `*` stands for any text", schema: text},
	address.ParamInclude:   {text: "How many levels of references are followed: the response has the items that these lead to in `Included`. 0 means that the response has only the items", schema: object{{"type", "integer"}, {"minimum", 0}, {"maximum", address.MaxInclude}}},
}

// sharedSearchParameters are the parameters of searches that Elasticsearch's endpoints read too.
var sharedSearchParameters = map[string]parameter{
	address.ParamQuery:           {text: "A query in Lucene's syntax, as in `query_string`", schema: text},
	address.ParamDefaultField:    {text: "The field that `q` searches where it names none", schema: text},
	address.ParamDefaultOperator: {text: "How words of `q` are combined", schema: object{{"type", "string"}, {"enum", []string{"AND", "OR", "and", "or"}}}},
	address.ParamAnalyzeWildcard: {text: "Whether wildcards of `q` are analyzed", schema: flag},
	address.ParamLenient:         {text: "Whether `q` may compare a field with a value that the field cannot have", schema: flag},
	address.ParamFrom:            {text: "How many hits come before the first one of the page", schema: window},
	address.ParamSize:            {text: "How many hits a page has", schema: window},
	address.ParamSource:          {text: "`true`, `false`, or the paths that hits show, separated by commas", schema: text},
	address.ParamSourceIncludes:  {text: "The paths that hits show, separated by commas", schema: text},
	address.ParamSourceExcludes:  {text: "The paths that hits leave out, separated by commas", schema: text},
}

var searchParameters = map[string]parameter{
	address.FieldName:           {text: "The whole value", schema: value},
	address.FieldTemplateName:   {text: "The whole value", schema: value},
	address.FieldStatus:         {text: "The whole value", schema: value},
	address.FieldCreatedBy:      {text: "The whole value", schema: value},
	address.FieldPublishedBy:    {text: "The whole value", schema: value},
	address.FieldUpdatedBy:      {text: "The whole value", schema: value},
	address.FieldContentID:      {text: "The whole value", schema: value},
	address.FieldTemplateID:     {text: "The whole value", schema: value},
	address.FieldCreatedAt:      {text: "A timestamp or its beginning, such as `2024-05`: that whole period", schema: value},
	address.FieldData:           {text: "Words that are all somewhere in `Data`, or the name of an element or a path of `Data`", schema: value},
	address.ParamSearchPage:     {text: "The page, from 1", schema: pageNo},
	address.ParamSearchPageSize: {text: "How many items a page has", schema: pageSize},
	address.ParamSearchSort:     {text: "A field, descending; or Elasticsearch's form, `Name:asc,CreatedAt:desc`", schema: text},
	address.ParamSearchSortAsc:  {text: "`Sort` ascending", schema: anyCase},
}

var openapiParameters = map[string]parameter{
	address.ParamEnv: {text: "The only environment to describe; ignored unless the operator has environments listed", schema: text},
}

var elasticParameters = map[string]parameter{
	"analyzer":               {text: "The analyzer of `q`, or of `_analyze`", schema: text},
	"source":                 {text: "The body of a GET, for clients that cannot send one", schema: text},
	"sort":                   {text: "Fields with directions, such as `Name.keyword:asc,_score`", schema: text},
	"rest_total_hits_as_int": {text: "Whether `hits.total` is a number", schema: onOrOff},
	"typed_keys":             {text: "Whether names of aggregations and suggestions begin with their types", schema: onOrOff},
	"track_total_hits":       {text: "Up to which number the total is exact, or whether there is one", schema: text},
	"terminate_after":        {text: "The number of matches after which a search ends; 0 means no limit", schema: object{{"type", "integer"}, {"minimum", 0}}},
	"track_scores":           {text: "Whether hits that are sorted otherwise have scores", schema: onOrOff},
	"version":                {text: "Whether hits show `_version`; of `_doc`, the version that the item must have, which is 1", schema: text},
	"version_type":           {text: "How versions are compared", schema: text},
	"seq_no_primary_term":    {text: "Whether hits show `_seq_no`", schema: onOrOff},
	"explain":                {text: "Whether hits, or a validation, are explained", schema: onOrOff},
	"stored_fields":          {text: "No field is stored: leaves out the source", schema: text},
	"docvalue_fields":        {text: "The fields whose values hits show, separated by commas", schema: text},
	"min_score":              {text: "The least score of a match", schema: object{{"type", "number"}}},
	"fields":                 {text: "Names or patterns of fields, separated by commas; the body may have them instead", schema: text},
	"field":                  {text: "The field whose analyzer counts", schema: text},
	"text":                   {text: "The text", schema: text},
	"filter_path":            {text: "The parts of the response, such as `hits.hits._id`", schema: text},
	"pretty":                 {text: "Whether the response is indented", schema: onOrOff},
	"ignore_unavailable":     {text: "Whether an index that does not exist is ignored", schema: onOrOff},
	"allow_no_indices":       {text: "Whether the response is empty if no index is left", schema: onOrOff},
}

// namesOf are the names of the parameters that a kind reads in the query of the address.
func namesOf(k address.Kind) (names []string) {
	if k.IsElastic() {
		return elastic.Parameters(k)
	}
	for _, p := range address.Parameters(k) {
		if !p.Below {
			names = append(names, p.Name)
		}
	}
	return names
}

// textOf returns the description of a parameter in this file.
func textOf(k address.Kind, name string) (parameter, bool) {
	tables := []map[string]parameter{listParameters}
	switch {
	case k == address.Search:
		tables = []map[string]parameter{searchParameters, sharedSearchParameters}
	case k == address.Description:
		tables = []map[string]parameter{openapiParameters}
	case k.IsElastic():
		tables = []map[string]parameter{elasticParameters, sharedSearchParameters}
	}
	for _, table := range tables {
		if p, ok := table[name]; ok {
			return p, true
		}
	}
	return parameter{}, false
}

// parametersOf describes the parameters of an endpoint, in the query and in the head.
func parametersOf(e address.Endpoint) (all []object) {
	seen := map[string]bool{}
	for _, name := range namesOf(e.Kind) {
		p, ok := textOf(e.Kind, name)
		if !ok {
			panic("openapi: no text for the parameter  " + name) // TestOpenAPI
		}
		if seen[name] {
			continue
		}
		seen[name] = true
		o := object{{"name", name}, {"in", "query"}, {"description", p.text}}
		all = append(all, o.with("schema", p.schema))
	}
	if slices.ContainsFunc(address.Parameters(e.Kind), func(p address.Parameter) bool { return p.Below }) {
		all = append(all, to("parameters", "paths"))
	}
	return append(all, requestHeadersOf(e)...)
}

// pathParameters describes the variable components of an endpoint's path.
func pathParameters(e address.Endpoint) (all []object) {
	for component := range strings.SplitSeq(e.Pattern, "/") {
		switch name := variable(component); {
		case name == "rest" && e.Kind == address.Media:
			all = append(all, to("parameters", "file"))
		case name == "rest":
			all = append(all, to("parameters", "list"))
		case name != "":
			all = append(all, to("parameters", name))
		}
	}
	return all
}

// sharedParameters are the parameters that several operations have.
func (d *Document) sharedParameters() (all object) {
	inPath := func(component, name, text string, schema object) {
		all = append(all, member{component, object{{"name", name}, {"in", "path"}, {"required", true}, {"description", text}, {"schema", schema}}})
	}
	pattern := func(p string) object { return object{{"type", "string"}, {"pattern", "^" + p + "$"}} }
	env := pattern(address.EnvPattern)
	if n := len(d.environments); 0 < n && n <= maxListed {
		var ids []string
		for _, e := range d.environments {
			ids = append(ids, e.ID)
		}
		env = object{{"type", "string"}, {"enum", ids}}
	}
	inPath("env", "env", "The environment", env)
	inPath("id", "id", "The `ContentID` of an item", pattern(address.IDPattern))
	inPath("page", "page", "The name of a saved search, a page from 2 on, and `.json`", pattern(address.SavedPattern))
	inPath("list", "rest", "The name of a file of a list. It has slashes, which are not escaped", pattern(address.ListPattern))
	inPath("file", "rest", "A digest, a slash, which is not escaped, and the name of a file", pattern(address.MediaPattern))
	all = append(all, member{"paths", object{
		{"name", "paths"}, {"in", "query"}, {"description", "The whole value of a path of `Data`: `Data.slug=hello` is a parameter"},
		{"style", "form"}, {"explode", true},
		{"schema", object{{"type", "object"}, {"patternProperties", object{{"^" + regexp.QuoteMeta(address.DataPrefix) + ".+$", value}}}, {"additionalProperties", false}}},
		{"example", object{{"Data.slug", "hello"}}},
	}})
	for _, h := range requestHeaders {
		all = append(all, member{h.name, object{{"name", h.name}, {"in", "header"}, {"description", h.value}, {"schema", text}}})
	}
	return all
}
