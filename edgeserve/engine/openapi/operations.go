// This file has the texts of operations, by kind of address.

package openapi

import (
	"strconv"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/release"
)

// operation describes a kind in addition to the table of routes.
type operation struct {
	id, summary, description string
	response                 string // a schema; "" for media
	body                     string // the schema of the body of a POST
}

var operations = map[address.Kind]operation{
	address.Contents: {id: "listContents", summary: "A list of items", response: "List",
		description: "A page of the items that the filters select, in the order of `sort`. `Link` leads to the other pages."},
	address.Item: {id: "getItem", summary: "An item by its id", response: "ItemResponse",
		description: "An item whose template has `include` in `_environment.yaml` comes with the items that it refers to."},
	address.UsedIn: {id: "getUsedIn", summary: "The items that refer to an item", response: "List",
		description: "Only of items for which `used-in` in `_environment.yaml` asks for such lists."},
	address.ListFile: {id: "getListFile", summary: "A list by the name of its file", response: "List",
		description: "The list's response for the same parameters. The manifest names the lists that have files."},
	address.SavedSearch: {id: "getSavedSearch", summary: "A saved search", response: "SearchResponse",
		description: "The response of a search that the content has under a name: `NAME.json` is its first page, `NAME.2.json` the second."},
	address.Media: {id: "getMedia", summary: "A media file", description: "Items name the address, which has a digest of the bytes: a response never changes."},
	address.Search: {id: "search", summary: "A search", response: "SearchResponse", body: "SearchBody",
		description: "The body counts whatever its `Content-Type`, and may be compressed by gzip. Without one, the response is the first page of all items. The body wins over parameters for the same thing. The names of parameters count in any case."},
	address.ElasticInfo:        {id: "elasticInfo", summary: "The greeting of a node of Elasticsearch", response: "ElasticInfo"},
	address.ElasticSearch:      {id: "elasticSearch", summary: "A search, as Elasticsearch answers it", response: "ElasticSearchResponse", body: "SearchBody"},
	address.ElasticMultiSearch: {id: "elasticMultiSearch", summary: "Several searches", response: "ElasticMultiSearchResponse", description: "The body has two lines for each search: a header, which may be `{}`, and a search body. Each line ends in a line feed.", body: ndjson},
	address.ElasticCount:       {id: "elasticCount", summary: "The number of items that a query matches", response: "ElasticCountResponse", body: "QueryBody"},
	address.ElasticDoc:         {id: "elasticDoc", summary: "An item as a document", response: "ElasticDocument"},
	address.ElasticSource:      {id: "elasticSource", summary: "Only the item, without an envelope", response: "PartialItem"},
	address.ElasticMultiGet:    {id: "elasticMultiGet", summary: "Several items by their ids", response: "ElasticMultiGetResponse", body: "MultiGetBody"},
	address.ElasticMapping:     {id: "elasticMapping", summary: "The fields of an index", response: "ElasticByIndex"},
	address.ElasticFieldCaps:   {id: "elasticFieldCaps", summary: "What searches can do with fields", response: "ElasticFieldCapsResponse", body: "FieldCapsBody"},
	address.ElasticValidate:    {id: "elasticValidate", summary: "Whether a query is valid", response: "ElasticValidateResponse", body: "QueryBody"},
	address.ElasticAnalyze:     {id: "elasticAnalyze", summary: "The words of a text", response: "ElasticAnalyzeResponse", body: "AnalyzeBody"},
	address.ElasticExplain:     {id: "elasticExplain", summary: "How the score of an item comes about", response: "ElasticExplainResponse", body: "QueryBody"},
	address.ElasticIndex:       {id: "elasticIndex", summary: "An environment as an index; with a parameter of the search that POST answers, that search", response: "ElasticByIndex"},
	address.Description: {id: "describe", summary: "This document", response: "OpenAPI",
		description: "It names environments, templates and fields if the operator has environments listed."},
	address.Live:  {id: "live", summary: "Whether the process lives", response: "Probe"},
	address.Ready: {id: "ready", summary: "Whether a release is served", response: "Probe"},
	address.Home:  {id: "home", summary: "What answers here", response: "Home"},
}

// ndjson stands for a body of JSON texts, one a line, which no schema describes.
const ndjson = "application/x-ndjson"

const (
	tagContent = "Content"
	tagSearch  = "Search"
	tagElastic = "Elasticsearch"
	tagNode    = "Node"
)

func tags() []object {
	return []object{
		{{"name", tagContent}, {"description", "Items, lists and media: most responses are files, which any web server can send."}},
		{{"name", tagSearch}, {"description", "Searches with Elasticsearch's query language, in the envelope of lists."}},
		{{"name", tagElastic}, {"description", "The endpoints that clients of Elasticsearch use. The index is the environment."}},
		{{"name", tagNode}, {"description", "The interface and the state of a node."}},
	}
}

func tagOf(k address.Kind) string {
	switch {
	case k.IsElastic():
		return tagElastic
	case k == address.Description:
		return tagNode
	case k.Group() == address.Searches:
		return tagSearch
	case k.Group() == address.Probes:
		return tagNode
	}
	return tagContent
}

// bodyOf describes the body of a POST.
func bodyOf(k address.Kind) object {
	name := operations[k].body
	of := object{{"schema", schema(name)}}
	mediaType := release.ContentType
	if name == ndjson {
		mediaType, of = ndjson, object{{"schema", object{{"type", "string"}}}, {"example", "{}\n{\"size\":1}\n"}}
	}
	return object{{"required", needsBody[k]}, {"content", object{{mediaType, of}}}}
}

// needsBody are the kinds whose POST is an error without a body.
var needsBody = map[address.Kind]bool{
	address.ElasticMultiSearch: true, address.ElasticMultiGet: true,
}

// responsesOf describes the responses to an operation.
func responsesOf(e address.Endpoint, post bool) object {
	ok := object{{"description", "OK"}, {"headers", headersOf(e.Kind)}, {"content", contentOf(e.Kind)}}
	all := object{{"200", ok}}
	if e.Group != address.Probes {
		if !post {
			all = append(all, member{"206", to("responses", partial)})
		}
		all = append(all, member{"304", to("responses", notModified)})
	}
	for _, r := range refusals(scopeOf(e.Kind)) {
		all = append(all, member{strconv.Itoa(r.status), to("responses", r.name())})
	}
	return all
}

// The names of the responses that all content has.
const partial, notModified = "Partial", "NotModified"

// sharedResponses are the components of responses without a body of their own.
func sharedResponses() object {
	of := append(headersOf(address.Contents), member{httpfield.ElasticProduct, to("headers", httpfield.ElasticProduct)})
	return object{
		{partial, object{{"description", "A range of the body"}, {"headers", of.with(httpfield.ContentRange, to("headers", httpfield.ContentRange))}, {"content", object{{"*/*", object{}}}}}},
		{notModified, object{{"description", "The client has the body: `If-None-Match` names it"}, {"headers", of}}},
	}
}

// contentOf describes the body of a 200 by content type.
func contentOf(k address.Kind) (content object) {
	switch k {
	case address.Media:
		seen := map[string]bool{}
		for _, extension := range address.MediaExtensions() {
			if mediaType := address.MediaType("." + extension); !seen[mediaType] {
				seen[mediaType] = true
				content = append(content, member{mediaType, object{}})
			}
		}
		return content
	case address.Home:
		content = object{{"text/html", object{{"schema", object{{"type", "string"}}}}}}
	}
	return append(object{{release.ContentType, object{{"schema", schema(operations[k].response)}}}}, content...)
}
