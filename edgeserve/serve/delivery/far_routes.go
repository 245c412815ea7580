// This file is the table of what answers each route where a cluster evaluates searches. CLUSTER.md has the same table
// (TestFarRoutes).

package delivery

import (
	"slices"

	"contentedge/edgeserve/wire/address"
)

// FarSource is what answers where a cluster evaluates searches.
type FarSource string

// The sources. Of several sources, each is asked for what the previous ones lack.
const (
	FromHere    FarSource = "this machine" // the manifest, or only the request
	FromFiles   FarSource = "files"        // of the release, on this machine
	FromStore   FarSource = "`--items-at`"
	FromCluster FarSource = "cluster"
)

// FarRoute is a row of the table.
type FarRoute struct {
	Name    string
	Kinds   []address.Kind
	Sources []FarSource
	But     string // what is refused, in addition to bodies that no cluster can evaluate; empty means nothing more
}

// FarRoutes are all routes.
var FarRoutes = []FarRoute{
	{"items", []address.Kind{address.Item}, []FarSource{FromFiles, FromStore, FromCluster}, ""},
	{"items that refer to an item", []address.Kind{address.UsedIn}, []FarSource{FromFiles, FromCluster}, "501 if more than 10,000 items may refer to it and the file is not there"},
	{"lists", []address.Kind{address.Contents, address.ListFile}, []FarSource{FromFiles, FromCluster}, ""},
	{"saved searches", []address.Kind{address.SavedSearch}, []FarSource{FromFiles, FromCluster}, ""},
	{"media", []address.Kind{address.Media}, []FarSource{FromFiles}, "also from the store that is followed"},
	{"searches", []address.Kind{address.Search}, []FarSource{FromCluster}, ""},
	{"`_search`, `_msearch`, `_count`", []address.Kind{address.ElasticSearch, address.ElasticMultiSearch, address.ElasticCount}, []FarSource{FromCluster}, ""},
	{"`_doc`, `_source`, `_mget`", []address.Kind{address.ElasticDoc, address.ElasticSource, address.ElasticMultiGet}, []FarSource{FromFiles, FromStore, FromCluster}, ""},
	{"`_explain`", []address.Kind{address.ElasticExplain}, []FarSource{FromCluster}, ""},
	{"`_validate/query`", []address.Kind{address.ElasticValidate}, []FarSource{FromCluster}, "501 with `explain` where the text of the query depends on values"},
	{"`_mapping`, `_field_caps`, `_analyze`, the index", []address.Kind{address.ElasticMapping, address.ElasticFieldCaps, address.ElasticAnalyze, address.ElasticIndex}, []FarSource{FromHere}, ""},
	{"`/`, OpenAPI, probes, the node of Elasticsearch", []address.Kind{address.Home, address.Description, address.Live, address.Ready, address.ElasticInfo}, []FarSource{FromHere}, ""},
}

// asksFar are the kinds of routes whose responses may come from other machines.
var asksFar = func() (kinds []address.Kind) {
	for _, r := range FarRoutes {
		if slices.Contains(r.Sources, FromCluster) {
			kinds = append(kinds, r.Kinds...)
		}
	}
	return kinds
}()
