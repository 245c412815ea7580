package anyjson

import (
	"slices"
	"strings"
	"testing"
	"time"

	"contentedge/generator/imports"
	"contentedge/generator/imports/importstest"
)

// TestPeople: a type is judged by all its elements in any order, and by the fields that rules call its data.
func TestPeople(t *testing.T) {
	text := []string{
		`{"id":1,"kind":"visitor","name":"Ann"}`, `{"id":2,"kind":"visitor","phone":"5551"}`, `{"id":3,"kind":"host","phone":"5551"}`, `{"id":4,"kind":"host","slug":"d"}`,
		`{"id":5,"kind":"Event registrations","name":"Eve"}`, `{"id":6,"kind":"contactPage","phone":"5551"}`, `{"id":7,"kind":"guest","at":{"email":"a@example.org"}}`,
	}
	for range 2 {
		slices.Reverse(text)
		for _, tt := range []struct {
			mapping string
			types   []string
			want    string
		}{
			{"", nil, "site/3 site/4 site/6 site/7"},
			{"", []string{"visitor", "host"}, "site/1 site/2 site/3 site/4 site/6 site/7"},
			{"types: {Event registrations: {}}", nil, "site/3 site/4 site/5 site/6 site/7"},
			{"types: {visitor: {skip: true}}", []string{"visitor"}, "site/3 site/4 site/6 site/7"},
			{"json: {data: [., .at]}", nil, "site/3 site/4 site/6"},
		} {
			opts := imports.Options{Types: tt.types, Mapping: mappingOf(t, tt.mapping), Date: time.Unix(1, 0)}
			r := importstest.Try(t, System(Options{ID: ".id", Template: ".kind"}), map[string]string{"e.ndjson": strings.Join(text, "\n")}, opts).OK()
			if got := strings.Join(r.Names(), " "); got != tt.want || r.Read != len(text) {
				t.Errorf("%+v: %s\n%s", tt, got, r.Account())
			}
		}
	}
}
