// This file has the paths of Elasticsearch's API, which stand below the path of searches: its
// clients take that path for a node and an environment for an index.

package address

import "strings"

// The kinds of Elasticsearch's API. Env is empty for ElasticInfo, and for multi searches and
// multi gets that name an index for each of their parts.
const (
	ElasticInfo Kind = iota + elasticKinds
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
	ElasticIndex // an environment as an index: reading the path of its searches
)

// elasticKinds is the first kind of Elasticsearch's API.
const elasticKinds = 64

// IsElastic reports whether a kind belongs to Elasticsearch's API.
func (k Kind) IsElastic() bool { return k >= elasticKinds }

// TakesBody reports whether a kind has requests with a body. Elasticsearch's clients also send
// it with GET.
func (k Kind) TakesBody() bool {
	switch k {
	case Search, ElasticSearch, ElasticMultiSearch, ElasticCount, ElasticMultiGet, ElasticFieldCaps, ElasticValidate, ElasticAnalyze, ElasticExplain:
		return true
	}
	return false
}

// NamesIndices reports whether the parts of a request name indices, of which that of the address is only the
// usual one.
func (k Kind) NamesIndices() bool { return k == ElasticMultiSearch || k == ElasticMultiGet }

// elasticNode is the path of the node, as clients send it that cut a slash at its end.
const elasticNode = "/cda/es/v1"

// elasticOf are the kinds behind an environment, by the rest of the path.
var elasticOf = map[string]Kind{
	"_search": ElasticSearch, "_msearch": ElasticMultiSearch, "_count": ElasticCount, "_mget": ElasticMultiGet, "_mapping": ElasticMapping,
	"_field_caps": ElasticFieldCaps, "_validate/query": ElasticValidate, "_analyze": ElasticAnalyze,
}

// ElasticName is the name of an endpoint behind an index.
func (k Kind) ElasticName() string {
	for _, names := range [...]map[string]Kind{elasticOf, elasticItem} {
		for name, kind := range names {
			if kind == k {
				return name
			}
		}
	}
	return ""
}

// unescapedCommas replaces commas as clients encode them.
var unescapedCommas = strings.NewReplacer("%2C", ",", "%2c", ",")

// Indices are the environments that the address of an endpoint names, most of which may not exist.
func (r Route) Indices() []string { return strings.Split(r.Env, ",") }

// Several reports whether the address names several environments.
func (r Route) Several() bool { return strings.Contains(r.Env, ",") }

// checkedList is checked for one environment or several.
func (r Route) checkedList() (Route, bool) {
	if !strings.ContainsAny(r.Env, ",%") {
		return r.checked()
	}
	r.Env = unescapedCommas.Replace(r.Env)
	for _, env := range r.Indices() {
		if !ValidEnv(env) {
			return Route{}, false
		}
	}
	return r, true
}

// Read is the route of a GET or HEAD of the same path: an environment's path is that of its
// searches for POST, and that of an index for Elasticsearch's clients.
func (r Route) Read() Route {
	if r.Kind == Search {
		r.Kind = ElasticIndex
	}
	return r
}

// elasticItem are the directories of items.
var elasticItem = map[string]Kind{"_doc": ElasticDoc, "_source": ElasticSource, "_explain": ElasticExplain}

// parseElastic parses what follows the path of searches, unless it is an environment alone.
func parseElastic(rest string) (Route, bool) {
	switch rest {
	case "":
		return Route{Kind: ElasticInfo}, true
	case "_msearch", "_mget":
		return Route{Kind: elasticOf[rest]}, true
	}
	env, name, _ := strings.Cut(rest, "/")
	if kind := elasticOf[name]; kind != 0 {
		return Route{Kind: kind, Env: env}.checkedList()
	}
	directory, id, _ := strings.Cut(name, "/")
	kind := elasticItem[directory]
	if id, source := strings.CutSuffix(id, "/_source"); source && kind == ElasticDoc && ValidID(id) {
		return Route{Kind: ElasticSource, Env: env, ID: id}.checked() // as clients of earlier versions ask
	}
	if kind != 0 && ValidID(id) {
		return Route{Kind: kind, Env: env, ID: id}.checked()
	}
	return Route{}, false
}

// LikeElastic reports whether a raw path is one of Elasticsearch's API, known or not: its names
// begin with an underscore, environments do not.
func LikeElastic(rawPath string) bool {
	rest, ok := strings.CutPrefix(rawPath, elasticNode)
	if rest, below := strings.CutPrefix(rest, "/"); below {
		_, name, _ := strings.Cut(rest, "/")
		return ok && (rest == "" || rest[0] == '_' || strings.HasPrefix(name, "_"))
	}
	return ok && rest == ""
}
