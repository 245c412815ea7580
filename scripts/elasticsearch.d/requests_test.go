// This file makes random requests beside searches: lists, searches by parameters, Elasticsearch's other endpoints.

package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"

	"elasticsearch/compare"
)

// requests makes random requests about an environment.
type requests struct {
	*rand.Rand
	env   string
	items []map[string]any
}

func newRequests(r *rand.Rand, e judged) *requests {
	q := &requests{Rand: r, env: e.env.ID}
	for _, text := range e.items {
		var item map[string]any
		if json.Unmarshal([]byte(text), &item) == nil {
			q.items = append(q.items, item)
		}
	}
	return q
}

func (q *requests) item() map[string]any { return q.items[q.IntN(len(q.items))] }

func (q *requests) id() string {
	if q.IntN(10) == 0 {
		return "nope"
	}
	return q.item()["ContentID"].(string)
}

func (q *requests) one(texts ...string) string { return texts[q.IntN(len(texts))] }

// path is a path of Data with a value of it, or "".
func (q *requests) path() (path, value string) {
	data, _ := q.item()["Data"].(map[string]any)
	names := make([]string, 0, len(data))
	for name := range data {
		names = append(names, name)
	}
	if len(names) == 0 {
		return "Data.nope", "x"
	}
	slices.Sort(names) // the same in every run
	name := q.one(names...)
	value = fmt.Sprint(data[name])
	if list, ok := data[name].([]any); ok && len(list) > 0 {
		value = fmt.Sprint(list[0])
	}
	return "Data." + name, value[:min(len(value), 500)]
}

// list is a request for a list.
func (q *requests) list() request {
	v := url.Values{}
	for name, member := range map[string]string{"searchByName": "Name", "searchByTemplateName": "TemplateName", "status": "Status", "searchByCreatedBy": "CreatedBy"} {
		v[name] = []string{member} // drawn below in the order of names
	}
	for _, name := range []string{"searchByCreatedBy", "searchByName", "searchByTemplateName", "status"} {
		switch member := v.Get(name); q.IntN(5) {
		case 0:
			v.Set(name, fmt.Sprint(q.item()[member]))
		default:
			v.Del(name)
		}
	}
	if path, value := q.path(); q.IntN(4) == 0 {
		v.Set(path, value)
	}
	if path, _ := q.path(); q.IntN(2) == 0 {
		v.Set("sort", q.one("CreatedAt", "Name", "ContentID", "UpdatedAt", path, path))
		v.Set("sortAsc", q.one("true", "false"))
	}
	if q.IntN(2) == 0 {
		v.Set("page", q.one("1", "2", "3", "10", "999999999", "0"))
		v.Set("pageSize", q.one("1", "2", "10", "50", "1000"))
	}
	if q.IntN(8) == 0 {
		v.Set("select", "Name,ContentID,Data.title")
	}
	return request{"GET", "/cda/rest/v1/" + q.env + "/contents?" + v.Encode(), nil, compare.Enveloped}
}

// filtered is a search by parameters, with a body of its query string if it has one.
func (q *requests) filtered() (r request, query []byte) {
	v := url.Values{}
	item := q.item()
	for _, name := range []string{"Name", "TemplateName", "Status", "CreatedBy", "ContentID", "CreatedAt"} {
		if q.IntN(6) == 0 {
			v.Set(name, fmt.Sprint(item[name]))
		}
	}
	path, value := q.path()
	switch q.IntN(6) {
	case 0:
		v.Set(path, value)
	case 1:
		v.Set("Data", value[:min(len(value), 30)])
	case 2:
		v.Set("Data", path[len("Data."):])
	case 3:
		text := q.one("the", "a*", "Name:a*", path+":*", "-the", fmt.Sprintf("%q", value[:min(len(value), 30)]))
		v.Set("q", text)
		query, _ = json.Marshal(map[string]any{"query": map[string]any{"query_string": map[string]any{"query": text}}})
	}
	switch q.IntN(4) {
	case 0:
		v.Set("Sort", q.one("Name", "CreatedAt:asc,Name:desc", path))
	case 1:
		v.Set("Page", q.one("1", "2"))
		v.Set("PageSize", q.one("1", "10", "100"))
	case 2:
		v.Set("_source", q.one("Name", "Data", "false"))
	}
	return request{"POST", "/cda/es/v1/" + q.env + "?" + v.Encode(), nil, compare.Enveloped}, query
}

// others are requests to Elasticsearch's other endpoints, some with the query of a body.
func (q *requests) others(body []byte) []request {
	at := "/cda/es/v1/" + q.env + "/"
	var of struct {
		Query json.RawMessage `json:"query"`
	}
	query := []byte(`{}`)
	if json.Unmarshal(body, &of) == nil && of.Query != nil {
		query, _ = json.Marshal(of)
	}
	explained := query
	if of.Query == nil {
		explained = []byte(`{"query":{"match_all":{}}}`)
	}
	several := fmt.Appendf(nil, "{}\n%s\n{}\n%s\n", query, explained)
	ids, _ := json.Marshal(map[string]any{"ids": []string{q.id(), q.id(), q.id()}})
	path, value := q.path()
	text, _ := json.Marshal(map[string]any{"text": value, "field": path})
	return []request{
		{"POST", at + "_count", query, compare.AnyJSON},
		{"POST", at + "_msearch", several, compare.AnyJSON},
		{"POST", at + "_validate/query?explain=true", query, compare.AnyJSON},
		{"POST", at + "_explain/" + q.id(), explained, compare.Explained},
		{"POST", at + "_mget", ids, compare.AnyJSON},
		{"POST", at + "_analyze", text, compare.AnyJSON},
		{"GET", at + "_field_caps?fields=" + url.QueryEscape(q.one("*", path, "Data.*")), nil, compare.AnyJSON},
		{"GET", at + "_mapping", nil, compare.AnyJSON},
		{"GET", at + "_doc/" + q.id(), nil, compare.AnyJSON},
		{"GET", at + "_source/" + q.id(), nil, compare.AnyJSON},
		{"GET", "/cda/rest/v1/" + q.env + "/contents/" + q.id(), nil, compare.AnyJSON},
		{"GET", "/cda/rest/v1/" + q.env + "/contents/" + q.id() + "/used-in.json", nil, compare.AnyJSON},
	}
}
