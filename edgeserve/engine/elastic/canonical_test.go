package elastic

import (
	"testing"

	"contentedge/edgeserve/wire/address"
)

func TestAppendCanonical(t *testing.T) {
	const path = "/cda/es/v1/demo/_search"
	for _, tt := range []struct {
		kind      address.Kind
		query     string
		canonical string // "refused": there is none
	}{
		{address.ElasticSearch, "", ""},
		{address.ElasticSearch, "?", ""},
		{address.ElasticSearch, "?size=1&q=a+b", "?q=a+b&size=1"},
		{address.ElasticSearch, "?q=%61%20b&size=1", "?q=a+b&size=1"},
		{address.ElasticSearch, "?q=x&&size=2&q=a%20b&siz%65=1", "?q=a+b&size=1"},
		{address.ElasticSearch, "?human&q=a&preference=_local&explain=false&format=json", "?explain=false&q=a"},
		{address.ElasticSearch, "?pretty=false&q=a", "?q=a"},
		{address.ElasticSearch, "?q=a&pretty", "?pretty=true&q=a"},
		{address.ElasticSearch, "?q=a&request_cache=true", "?q=a"},
		{address.ElasticSearch, "?q=a&request_cache=x", "refused"},
		{address.ElasticSearch, "?q=a&batched_reduce_size=1", "refused"},
		{address.ElasticSearch, "?explain=true&q=a", "?explain=true&q=a"},
		{address.ElasticSearch, "?nope=1", "?nope=1"},
		{address.ElasticSearch, "?typed_keys", "?typed_keys=true"},
		{address.ElasticSearch, "?typed_keys=true&rest_total_hits_as_int=false", "?typed_keys=true"},
		{address.ElasticSearch, "?source=%7B+%22size%22%3A%201%20%7D&source_content_type=application/json", "?source=%7B%22size%22%3A1%7D"},
		{address.ElasticSearch, "?source=%7B+%2F%2F", "?source=%7B+%2F%2F"},
		{address.ElasticValidate, "?explain=false", "?explain=false"},
		{address.ElasticSearch, "?q=%zz", "refused"},
		{address.ElasticSearch, "?q=a;b", "refused"},
	} {
		got, ok := AppendCanonical([]byte("x"), tt.kind, []byte(path+tt.query))
		if want := "x" + path + tt.canonical; ok == (tt.canonical == "refused") || ok && string(got) != want {
			t.Errorf("%s: %s, %t; want %s", tt.query, got, ok, want)
			continue
		}
		if again, ok := AppendCanonical(nil, tt.kind, got[1:]); tt.canonical != "refused" && (!ok || string(again) != string(got[1:])) {
			t.Errorf("%s: again %s, %t", got[1:], again, ok)
		}
	}
}

func TestEndpointsHaveHandlers(t *testing.T) {
	for _, e := range address.Endpoints() {
		for _, kind := range []address.Kind{e.Kind, e.ForGET} {
			if kind.IsElastic() && endpoints[kind].answer == nil {
				t.Errorf("%s has no handler for kind %d", e.Pattern, kind)
			}
		}
	}
}
