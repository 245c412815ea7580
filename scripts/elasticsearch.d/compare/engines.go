// This file has the engines: Elasticsearch, and the edge server's two endpoints.

package compare

import (
	"encoding/json"
	"maps"

	"elasticsearch/index"
)

// elasticsearch speaks Elasticsearch's own form.
type elasticsearch struct {
	client *index.Client
	path   func(env string) string
}

// theirs are the indices of a real one.
func theirs(c *index.Client) elasticsearch {
	return elasticsearch{c, func(env string) string { return "/" + c.Name(env) + "/_search" }}
}

// Endpoint is our _search, which has the same form.
func Endpoint(c *index.Client) Engine {
	return elasticsearch{c, func(env string) string { return "/cda/es/v1/" + env + "/_search" }}
}

func (e elasticsearch) Bare() bool { return false }

// ask returns the status and the text of a response.
func (e elasticsearch) ask(env string, body []byte) (status int, text []byte, err error) {
	return e.client.Do("POST", e.path(env), body)
}

func (e elasticsearch) Search(env string, body []byte) (*Response, error) {
	status, text, err := e.ask(env, body)
	if err != nil {
		return nil, err
	}
	return readSearch(status, text)
}

// envelope is our search in the interface's envelope.
type envelope struct{ client *index.Client }

// Envelope is our search whose hits are bare items.
func Envelope(c *index.Client) Engine { return envelope{c} }

func (e envelope) Bare() bool { return true }

func (e envelope) Search(env string, body []byte) (*Response, error) {
	status, text, err := e.client.Do("POST", "/cda/es/v1/"+env, onlyID(body))
	if err != nil {
		return nil, err
	}
	return readEnvelope(status, text)
}

// readEnvelope reads the interface's form of a response.
func readEnvelope(status int, text []byte) (*Response, error) {
	if status != 200 {
		return fail(status, text), nil
	}
	var res struct {
		Data         []object
		TotalItems   int
		Aggregations any
		Suggest      any
	}
	if err := decode(text, &res); err != nil {
		return nil, err
	}
	a := &Response{Status: status, Total: res.TotalItems, Parts: object{}}
	if res.Aggregations != nil {
		a.Parts["aggregations"] = forget(res.Aggregations)
	}
	if res.Suggest != nil {
		a.Parts["suggest"] = res.Suggest
	}
	for _, item := range res.Data {
		id, _ := item["ContentID"].(string)
		a.Hits = append(a.Hits, Hit{ID: id, Source: item})
	}
	return a, nil
}

// onlyID asks for no more than the ids, unless the body says what it wants of items, or is none.
func onlyID(body []byte) []byte {
	return with(body, "_source", "ContentID")
}

// without removes a member of a body.
func without(body []byte, name string) []byte {
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil || members[name] == nil {
		return body
	}
	delete(members, name)
	if changed, err := json.Marshal(members); err == nil {
		return changed
	}
	return body
}

// With sets members of a body, as a JSON object says: null removes one. An empty text is none.
func With(body []byte, members string) []byte {
	var changed, all map[string]json.RawMessage
	if json.Unmarshal([]byte(members), &changed) != nil || json.Unmarshal(body, &all) != nil {
		return body
	}
	maps.Copy(all, changed)
	maps.DeleteFunc(all, func(_ string, v json.RawMessage) bool { return string(v) == "null" })
	if text, err := json.Marshal(all); err == nil {
		return text
	}
	return body
}

// with sets a member of a body that lacks it.
func with(body []byte, name string, value any) []byte {
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil || members == nil {
		return body
	}
	if _, ok := members[name]; ok {
		return body
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return body
	}
	members[name] = raw
	if changed, err := json.Marshal(members); err == nil {
		return changed
	}
	return body
}
