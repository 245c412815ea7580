// This file writes queries as bodies for the search endpoint.

package queries

import (
	"encoding/json"
	"fmt"
	"strconv"

	"contentedge/edgeserve/engine/analysis"
)

// object is a JSON object; its members are always sorted by name.
type object map[string]any

// searchBody writes a query.
func searchBody(kind Kind, a []string) string {
	b := bodyOf(kind, a)
	text, err := json.Marshal(b)
	if err != nil {
		panic(err) // strings, numbers and objects always have a JSON encoding
	}
	return string(text)
}

func bodyOf(kind Kind, a []string) object {
	switch kind {
	case And:
		return in(a[0], a[1]+" AND "+a[2])
	case Or:
		return in(a[0], a[1]+" OR "+a[2])
	case Mixed:
		return in(a[0], fmt.Sprintf("(%s OR %s) AND %s", a[1], a[2], a[3]))
	case Not:
		return in(a[0], a[1]+" AND NOT "+a[2])
	case Phrase:
		return in(a[0], `"`+a[1]+" "+a[2]+`"`)
	case Prefix:
		return in(a[0], a[1]+"*")
	case Contains:
		return object{"query": object{"wildcard": object{a[0]: object{"value": "*" + a[1] + "*"}}}}
	case Filter:
		filter := object{"term": object{"TemplateName.keyword": a[2]}}
		return object{"query": object{"bool": object{"must": in(a[0], a[1])["query"], "filter": filter}}}
	case Range:
		bounds := object{"gte": date(a[1]), "lte": date(a[2])}
		return object{"query": object{"range": object{a[0]: bounds}}, "sort": []any{object{a[3]: "desc"}}}
	case Deep:
		from, _ := strconv.Atoi(a[1])
		return object{"from": from, "size": Hits, "sort": []any{object{a[0] + ".keyword": "asc"}}}
	case Aggregate:
		b := in(a[0], a[1])
		b["aggs"] = object{"values": object{"terms": object{"field": a[2] + ".keyword"}}}
		return b
	case ID:
		return object{"query": object{"term": object{"ContentID.keyword": a[0]}}}
	case Anywhere:
		return object{"query": object{"query_string": object{"query": a[0]}}}
	case BothAny:
		return object{"query": object{"query_string": object{"query": a[0] + " AND " + a[1]}}}
	}
	if kind != Word {
		return constructOf(kind, a)
	}
	return in(a[0], a[1])
}

// in is a query string on a field.
func in(field, text string) object {
	return object{"query": object{"query_string": object{"query": text, "default_field": field}}}
}

// date formats Unix milliseconds as a timestamp.
func date(ms string) string {
	n, _ := strconv.ParseInt(ms, 10, 64)
	return analysis.FormatDate(n)
}
