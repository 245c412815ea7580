// This file draws the requests of each family from a corpus.

package clusterbench

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"bench/corpus"
	"bench/queries"
	"bench/releasebench"
)

const (
	contents = "/cda/rest/v1/" + releasebench.Env + "/contents"
	search   = "/cda/es/v1/" + releasebench.Env
)

// request is a request of a client, or of an edge to a node.
type request struct{ method, path, body string }

// family is a row of the tables.
type family struct {
	name     string
	requests []request
	sent     []request       // what the edge sends to the cluster for them
	ways     map[way]figures // the medians
	differ   int             // requests whose response differs between the snapshot and the cluster
}

// object is a JSON object.
type object = map[string]any

// drawn are the families of package queries whose words, prefixes and dates the requests have, with a request.
var drawn = []struct {
	name, from string
	body       func(a []string, fields corpus.Fields) any // nil: the body as it was drawn
}{
	{"match, two words", "two words, OR", func(a []string, _ corpus.Fields) any { return query("match", a[0], a[1]+" "+a[2]) }},
	{"phrase", "phrase", func(a []string, _ corpus.Fields) any { return query("match_phrase", a[0], a[1]+" "+a[2]) }},
	{"bool with filters", "filter by template and a word", filtered},
	{"prefix", "foo*", func(a []string, _ corpus.Fields) any { return query("prefix", a[0], a[1]) }},
	{"range, sorted by it", "date range, sorted by it", nil},
	{"terms aggregation", "terms aggregation on TemplateName", func(a []string, _ corpus.Fields) any {
		return with(query("match", a[0], a[1]), "aggs", object{"values": object{"terms": object{"field": a[2] + ".keyword"}}})
	}},
	{"date_histogram by month", "date_histogram by month", nil},
	{"faceted search", "filter by template and a word", faceted},
	{"highlight", "highlight, unified", nil},
}

func query(kind, field, text string) object {
	return object{"query": object{kind: object{field: text}}}
}

func with(body object, name string, member any) object {
	body[name] = member
	return body
}

// filtered scores a word among the items of a template that are not older than the oldest.
func filtered(a []string, _ corpus.Fields) any {
	filter := []any{object{"term": object{"TemplateName.keyword": a[2]}}, object{"range": object{"UpdatedAt": object{"gte": "2000-01-01"}}}}
	return object{"query": object{"bool": object{"must": query("match", a[0], a[1])["query"], "filter": filter}}}
}

// faceted is the search of a site's search page with facets: numbers as texts, a sub-field, words and phrases that must
// all match. A facet whose field the corpus lacks is left out.
func faceted(a []string, fields corpus.Fields) any {
	must := []any{
		object{"match": object{a[0]: a[1]}},
		object{"match_phrase_prefix": object{a[0]: a[1]}},
		object{"match_phrase": object{"TemplateName": a[2]}},
	}
	if fields.Index("Data.file.Extension") >= 0 {
		must = append(must, object{"match": object{"Data.file.Extension": "md"}})
	}
	if fields.Index("Data.file.Size") >= 0 {
		must = append(must, object{"range": object{"Data.file.Size.long": object{"gte": "0", "lte": "1048576"}}})
	}
	return object{"from": 0, "size": queries.Hits, "query": object{"bool": object{"must": must}}}
}

// draw draws up to n requests of each family whose name has a text. The last family but one is a list without a file.
func draw(items [][]byte, n int, only string) (families []*family, err error) {
	fields := corpus.Detect(items)
	all, _, err := queries.Draw(items, fields, "", n)
	if err != nil {
		return nil, err
	}
	names, groups := queries.Families(all)
	for _, d := range drawn {
		f := &family{name: d.name, ways: map[way]figures{}}
		at := slices.Index(names, d.from)
		if at < 0 || !strings.Contains(d.name, only) {
			continue
		}
		for _, q := range groups[at] {
			body := q.Body
			if d.body != nil {
				text, err := json.Marshal(d.body(q.Args, fields))
				if err != nil {
					return nil, err
				}
				body = string(text)
			}
			f.requests = append(f.requests, request{"POST", search, body})
		}
		families = append(families, f)
	}
	if lists := listed(items, n); strings.Contains(lists.name, only) {
		families = append(families, lists)
	}
	if len(families) == 0 {
		return nil, errors.New("no family is left")
	}
	return families, nil
}

// listed are pages of a size without files, of the items of a template.
func listed(items [][]byte, n int) *family {
	f := &family{name: "a list's page without a file", ways: map[way]figures{}}
	for i := range n {
		values := url.Values{"TemplateName": {corpus.Member(items[i*len(items)/n], "TemplateName")}, "pageSize": {"7"}, "page": {fmt.Sprint(i%3 + 1)}}
		f.requests = append(f.requests, request{"GET", contents + "?" + values.Encode(), ""})
	}
	return f
}
