// This file says which operations may answer with which error.

package openapi

import (
	"slices"
	"strconv"

	"contentedge/edgeserve/engine/elastic"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/problem"
	"contentedge/edgeserve/wire/release"
)

// scope is a set of operations.
type scope uint16

const (
	ofItems scope = 1 << iota
	ofLists
	ofSaved
	ofMedia
	ofSearches
	ofElasticItems
	ofElasticSearches
	ofDescription
	ofProbes
)

const (
	nowhere   scope = 0 // only the admin listener sends it
	everybody       = content | ofProbes
	content         = ofItems | ofLists | ofSaved | ofMedia | searches | ofElasticItems | ofDescription
	searches        = ofSearches | ofElasticSearches
	elastics        = ofElasticItems | ofElasticSearches
	computed        = searches | ofLists
)

var scopeNames = map[scope]string{
	ofItems: "Items", ofLists: "Lists", ofSaved: "SavedSearches", ofMedia: "Media", ofSearches: "Searches",
	ofElasticItems: "ElasticItems", ofElasticSearches: "ElasticSearches", ofDescription: "Description", ofProbes: "Node",
}

func scopeOf(k address.Kind) scope {
	switch group := k.Group(); {
	case k == address.Description:
		return ofDescription
	case k == address.SavedSearch:
		return ofSaved
	case group == address.MediaFiles:
		return ofMedia
	case group == address.Lists:
		return ofLists
	case group == address.Items && k.IsElastic():
		return ofElasticItems
	case group == address.Items:
		return ofItems
	case group == address.Searches && k.IsElastic():
		return ofElasticSearches
	case group == address.Searches:
		return ofSearches
	}
	return ofProbes
}

// scopes says which operations may answer with a code.
var scopes = map[string]scope{
	problem.BadRequest: everybody, problem.BadHeader: everybody, problem.BadTarget: everybody, problem.BadHost: everybody,
	problem.BadFraming: everybody, problem.BadHTTPVersion: everybody, problem.RequestTimeout: everybody, problem.HeadTooLarge: everybody,
	problem.BodyTooLarge: everybody, problem.ContentEncoding: everybody, problem.BadGzip: everybody,

	problem.UnknownRoute: content, problem.UnknownEnvironment: content, problem.UnknownItem: ofItems | elastics,
	problem.UnknownSearch: ofSaved, problem.UnknownMedia: ofMedia, problem.UnknownHost: everybody, problem.MethodNotAllowed: everybody,
	problem.PreconditionFailed: content, problem.ReleaseMismatch: content, problem.BadRange: content, problem.VersionConflict: ofElasticItems,

	problem.UnknownParameter: computed | ofItems, problem.DuplicateParameter: computed | ofItems | ofDescription, problem.MissingParameter: elastics, problem.BadParameter: elastics,
	problem.TooManyParameters: computed | ofItems, problem.ValueTooLong: computed | ofItems, problem.BadPage: computed, problem.BadPageSize: computed,
	problem.BadSortAsc: computed, problem.BadCreatedAt: searches,

	problem.BadJSON: searches, problem.BadBody: searches, problem.BadQuery: computed | ofItems | ofDescription, problem.UnknownQuery: searches, problem.UnknownOption: searches,
	problem.BadQueryString: searches, problem.BadRegexp: searches, problem.BadValue: searches, problem.BadFrom: searches, problem.BadSize: searches,
	problem.BadSort: computed, problem.BadSearchAfter: searches, problem.BadCollapse: searches, problem.BadRescore: searches,
	problem.BadSource: computed | ofElasticItems | ofItems, problem.BadTrackTotalHits: searches, problem.BadAggregation: searches, problem.BadSuggest: searches,
	problem.BadHighlight: searches, problem.TooDeep: searches, problem.TooManyClauses: searches, problem.TooManyBuckets: searches, problem.TooCostly: computed | ofItems,

	problem.UnknownUsedIn: ofItems, problem.BadInclude: ofItems | ofLists, problem.PathLeftOut: computed, problem.TooManyIncluded: ofItems | ofLists,

	problem.NotReady: everybody, problem.RateLimited: everybody, problem.Overloaded: everybody, problem.Timeout: computed | ofItems | ofDescription,
	problem.SearchUnavailable: computed | ofItems, problem.NotAtCluster: computed, problem.NotExact: computed,
	problem.Unreadable: content, problem.MediaUnreachable: ofMedia, problem.Internal: everybody,

	problem.CrossOrigin: nowhere, problem.ReleaseRefused: nowhere, problem.NoFile: content, problem.EdgeUnreachable: everybody,
	problem.ContentError: ofProbes, problem.BuildFailed: ofProbes,
}

// refusal is all errors of some operations that have one status.
type refusal struct {
	of     scope
	status int
	codes  []string
}

// refusals are the errors of an operation by status.
func refusals(of scope) (all []refusal) {
	for _, p := range problem.All() {
		if scopes[p.Code]&of == 0 {
			continue
		}
		status := p.Status
		if of&elastics != 0 {
			status = elastic.StatusOf(p)
		}
		at := slices.IndexFunc(all, func(r refusal) bool { return r.status == status })
		if at < 0 {
			at = len(all)
			all = append(all, refusal{of: of, status: status})
		}
		all[at].codes = append(all[at].codes, p.Code)
	}
	slices.SortFunc(all, func(a, b refusal) int { return a.status - b.status })
	return all
}

// name is the name of the component for a refusal.
func (r refusal) name() string { return scopeNames[r.of] + strconv.Itoa(r.status) }

// problemResponses are the components of all errors.
func problemResponses() (all object) {
	for of := ofItems; of != 0; of <<= 1 {
		for _, r := range refusals(of) {
			all = append(all, member{r.name(), r.describe()})
		}
	}
	return all
}

func (r refusal) describe() object {
	names := append(refusedFields(), httpfield.Release)
	if release.ErrorClass(r.status) == release.ClassError {
		names = append(names, httpfield.RequestID)
	}
	switch r.status {
	case problem.Of(problem.RateLimited).Status, problem.Of(problem.Overloaded).Status:
		names = append(names, httpfield.RetryAfter)
	case problem.Of(problem.MethodNotAllowed).Status:
		names = append(names, httpfield.Allow)
	case problem.Of(problem.BadRange).Status:
		names = append(names, httpfield.ContentRange)
	}
	if r.of&elastics != 0 {
		names = append(names, httpfield.ElasticProduct)
	}
	var fields object
	for _, name := range names {
		fields = append(fields, member{name, to("headers", name)})
	}
	return object{
		{"description", r.text()},
		{"headers", fields},
		{"content", object{{release.ContentType, object{{"schema", r.body()}}}}},
	}
}

// text lists the codes with their standard texts.
func (r refusal) text() string {
	text := ""
	for i, code := range r.codes {
		if i > 0 {
			text += "\n"
		}
		text += "- `" + code + "`"
		if standard := problem.Of(code).Message; standard != "" {
			text += ": " + standard
		}
	}
	return text
}

// body is the schema of an error: in the words of Elasticsearch on its endpoints.
func (r refusal) body() object {
	if r.of&elastics == 0 {
		return object{{"allOf", []any{schema("Problem"), object{{"properties", object{{"error", object{{"properties", object{{"code", object{{"enum", r.codes}}}}}}}}}}}}}
	}
	if r.status == problem.Of(problem.UnknownItem).Status {
		return object{{"anyOf", []any{schema("ElasticProblem"), schema("ElasticMissing"), schema("Problem")}}}
	}
	return object{{"anyOf", []any{schema("ElasticProblem"), schema("Problem")}}}
}
