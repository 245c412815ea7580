// This file has the table of routes. The edge server registers its rows; ParsePath and the
// configurations of other hosts read them. A new endpoint is a row here and a handler.

package address

import "strings"

// Kind is the kind of a resource.
type Kind uint8

const (
	Contents Kind = iota + 1 // the lists of an environment, selected by query string
	Item
	ListFile // a list, addressed by file name
	SavedSearch
	UsedIn // of an item: the items that refer to it
	Media
	Search // the search endpoint of an environment

	// The kinds of Elasticsearch's API, from ElasticInfo to ElasticIndex. Route.Env is empty for
	// ElasticInfo, and for multi searches and multi gets whose paths name no index.
	ElasticInfo
	ElasticSearch
	ElasticMultiSearch
	ElasticCount
	ElasticDoc
	ElasticSource
	ElasticMultiGet
	ElasticMapping
	ElasticFieldCaps
	ElasticValidate
	ElasticAnalyze
	ElasticExplain
	ElasticIndex // an environment as an index: GET of the path whose POST is a search

	Description // the interface, as a document of OpenAPI

	// The kinds that do not depend on the release, which ParsePath does not return.
	Live
	Ready
	Home

	kinds
)

// Group is a group of kinds whose responses are cached, counted and admitted alike.
type Group uint8

const (
	Probes Group = iota
	Items
	Lists
	Searches
	MediaFiles
)

// The values of the field Allow.
const (
	AllowRead   = "GET, HEAD, OPTIONS"
	AllowSearch = "GET, HEAD, POST, OPTIONS"
)

// Endpoint is a row of the table of routes.
type Endpoint struct {
	Kind    Kind
	Pattern string // a component :NAME represents one name, :envs for names separated by commas, * for the rest
	Allow   string // the methods. Endpoints with POST read a body of GET requests, too: Elasticsearch's clients send it
	Group   Group
	ForGET  Kind // the kind of GET and HEAD if it differs from Kind
}

const (
	// Root begins the paths of all content.
	Root     = "/cda/"
	restRoot = Root + "rest/v1/"

	// After the environment:
	contents = "/contents"
	itemDir  = contents + "/"
	listDir  = contents + ListsDir
	savedDir = "/searches/"

	// ListsDir follows the path of an environment's lists in the name of the directory of list files.
	ListsDir   = "-list/"
	fileSuffix = ".json"
	usedInFile = "used-in.json"

	// SearchRoot begins the paths of searches. All paths that take POST begin with it.
	SearchRoot = Root + "es/"
	// ElasticNode is the path that Elasticsearch's clients use as the address of a node.
	ElasticNode = SearchRoot + "v1"
	elasticRoot = ElasticNode + "/"

	rest    = restRoot + ":env"
	media   = mediaRoot + ":env"
	index   = elasticRoot + ":env"
	indices = elasticRoot + ":envs"
)

var endpoints = [...]Endpoint{
	{Kind: Contents, Pattern: rest + contents, Allow: AllowRead, Group: Lists},
	{Kind: Item, Pattern: rest + itemDir + ":id", Allow: AllowRead, Group: Items},
	{Kind: UsedIn, Pattern: rest + itemDir + ":id/" + usedInFile, Allow: AllowRead, Group: Items},
	{Kind: ListFile, Pattern: rest + listDir + "*", Allow: AllowRead, Group: Lists},
	{Kind: SavedSearch, Pattern: rest + savedDir + ":page", Allow: AllowRead, Group: Lists},
	{Kind: Media, Pattern: media + "/*", Allow: AllowRead, Group: MediaFiles},
	{Kind: ElasticInfo, Pattern: ElasticNode, Allow: AllowRead, Group: Items}, // for clients that remove a slash at the end
	{Kind: ElasticInfo, Pattern: elasticRoot, Allow: AllowRead, Group: Items},
	{Kind: ElasticMultiSearch, Pattern: elasticRoot + "_msearch", Allow: AllowSearch, Group: Searches},
	{Kind: ElasticMultiGet, Pattern: elasticRoot + "_mget", Allow: AllowSearch, Group: Searches},
	{Kind: Search, Pattern: index, Allow: AllowSearch, Group: Searches, ForGET: ElasticIndex},
	{Kind: ElasticSearch, Pattern: indices + "/_search", Allow: AllowSearch, Group: Searches},
	{Kind: ElasticMultiSearch, Pattern: indices + "/_msearch", Allow: AllowSearch, Group: Searches},
	{Kind: ElasticCount, Pattern: indices + "/_count", Allow: AllowSearch, Group: Searches},
	{Kind: ElasticDoc, Pattern: index + "/_doc/:id", Allow: AllowRead, Group: Items},
	{Kind: ElasticSource, Pattern: index + "/_doc/:id/_source", Allow: AllowRead, Group: Items}, // for clients of earlier versions
	{Kind: ElasticSource, Pattern: index + "/_source/:id", Allow: AllowRead, Group: Items},
	{Kind: ElasticExplain, Pattern: index + "/_explain/:id", Allow: AllowSearch, Group: Searches},
	{Kind: ElasticMultiGet, Pattern: indices + "/_mget", Allow: AllowSearch, Group: Searches},
	{Kind: ElasticMapping, Pattern: indices + "/_mapping", Allow: AllowRead, Group: Searches},
	{Kind: ElasticFieldCaps, Pattern: indices + "/_field_caps", Allow: AllowSearch, Group: Searches},
	{Kind: ElasticValidate, Pattern: indices + "/_validate/query", Allow: AllowSearch, Group: Searches},
	{Kind: ElasticAnalyze, Pattern: indices + "/_analyze", Allow: AllowSearch, Group: Searches},
	{Kind: Description, Pattern: "/openapi.json", Allow: AllowRead, Group: Lists},
	{Kind: Live, Pattern: "/livez", Allow: AllowRead},
	{Kind: Ready, Pattern: "/readyz", Allow: AllowRead},
	{Kind: Home, Pattern: "/", Allow: AllowRead},
}

// Endpoints returns the table of routes. It has the order of the document at /.
func Endpoints() []Endpoint { return endpoints[:] }

// ofKind has the last row of each kind: its pattern is the usual pattern.
var ofKind = func() (rows [kinds]Endpoint) {
	for _, e := range endpoints {
		rows[e.Kind] = e
		if e.ForGET != 0 {
			rows[e.ForGET] = Endpoint{Kind: e.ForGET, Pattern: e.Pattern, Allow: AllowRead, Group: e.Group}
		}
	}
	return rows
}()

// Allow is the value of the field Allow for the paths of a kind.
func (k Kind) Allow() string { return ofKind[k].Allow }

// Group is the group of a kind.
func (k Kind) Group() Group { return ofKind[k].Group }

// TakesBody reports whether a kind has requests with a body.
func (k Kind) TakesBody() bool { return ofKind[k].Allow == AllowSearch }

// IsElastic reports whether a kind belongs to Elasticsearch's API.
func (k Kind) IsElastic() bool { return ElasticInfo <= k && k <= ElasticIndex }

// Path is the path of a kind with names in place of its variable components.
func (k Kind) Path(names ...string) string {
	var b strings.Builder
	path := ofKind[k].Pattern
	for _, name := range names {
		at := strings.IndexAny(path, ":*")
		b.WriteString(path[:at])
		b.WriteString(name)
		path = path[at+len(untilSlash(path[at:])):]
	}
	return b.String() + path
}

func untilSlash(s string) string {
	s, _, _ = strings.Cut(s, "/")
	return s
}

// ElasticName is the name of an endpoint of Elasticsearch's API: its path after the indices, without an id.
func (k Kind) ElasticName() string {
	if !k.IsElastic() {
		return ""
	}
	behind := strings.TrimPrefix(ofKind[k].Pattern, elasticRoot)
	if strings.HasPrefix(behind, ":") {
		_, behind, _ = strings.Cut(behind, "/")
	}
	return strings.TrimSuffix(behind, "/:id")
}
