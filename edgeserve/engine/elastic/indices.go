// This file chooses the index that a call reads among the indices that it names.

package elastic

import (
	"slices"
	"strings"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/problem"
)

const (
	ignoreUnavailable = "ignore_unavailable"
	allowNoIndices    = "allow_no_indices"
	// indexParams are the parameters that say what happens if a named index does not exist.
	indexParams = ignoreUnavailable + " " + allowNoIndices
	// maxIndices limits the names in a call.
	maxIndices = 100
)

// ReadsOneIndex reports whether the response to a call depends on the index that its address names, and on nothing else
// of the release.
func ReadsOneIndex(route address.Route) bool {
	switch route.Kind {
	case address.ElasticInfo, address.ElasticIndex: // they show the id of the release
		return false
	case address.ElasticMultiSearch, address.ElasticMultiGet:
		return false
	}
	return !route.Several()
}

// errSeveral reports a call that names several existing indices. It has the code of a path without an endpoint.
var errSeveral = &NotFound{Code: problem.UnknownRoute, Message: "this node searches one index at a time: name it in the path"}

// missingIndex reports an index that does not exist.
func missingIndex(name string) error {
	return &NotFound{Code: problem.UnknownEnvironment, Message: "no such index", Name: name}
}

// index returns the existing index among several names. It returns "" if none exists and the call allows that.
func (c *Call) index(names []string, ignore, allowNone bool) (string, error) {
	found := ""
	for i, name := range names {
		switch {
		case i >= maxIndices:
			return "", badParameter("index", "a call names more than %d indices", maxIndices)
		case slices.Contains(names[:i], name):
		case c.Indices[name] == nil && !ignore:
			return "", missingIndex(name)
		case c.Indices[name] == nil:
		case found != "":
			return "", errSeveral
		default:
			found = name
		}
	}
	if found == "" && (!ignore || !allowNone) {
		return "", missingIndex(names[0])
	}
	return found, nil
}

// chooseIndex replaces the names in the address by the name of the existing index. If none exists and the call allows
// that, it returns the response.
func (c *Call) chooseIndex(params string) (*Response, error) {
	ignore, allowNone := false, true
	if slices.Contains(strings.Fields(params), ignoreUnavailable) {
		ignore = c.params.Get(ignoreUnavailable) == "true"
		allowNone = c.params.Get(allowNoIndices) != "false"
	}
	name, err := c.index(c.Route.Indices(), ignore, allowNone && c.Route.Kind != address.ElasticValidate)
	if err != nil || name != "" {
		c.Route.Env = name
		return nil, err
	}
	none := noneFound[c.Route.Kind]
	asInt, err := c.flag("rest_total_hits_as_int")
	if err != nil {
		return nil, err
	}
	if asInt {
		none = noneFoundAsInt
	}
	return written([]byte(none)), nil
}

// noneFound are the responses to calls that allow that no index exists.
var noneFound = map[address.Kind]string{
	address.ElasticSearch: `{"took":0,"timed_out":false,` + noShards + `,"hits":{"total":{"value":0,"relation":"eq"},"max_score":0.0,"hits":[]}}`,
	address.ElasticCount:  `{"count":0,` + noShards + `}`, address.ElasticFieldCaps: `{"indices":[],"fields":{}}`,
	address.ElasticMapping: `{}`, address.ElasticIndex: `{}`,
}

const (
	noShards       = `"_shards":{"total":0,"successful":0,"skipped":0,"failed":0}`
	noneFoundAsInt = `{"took":0,"timed_out":false,` + noShards + `,"hits":{"total":0,"max_score":0.0,"hits":[]}}`
)
