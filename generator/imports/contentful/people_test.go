package contentful

import (
	"fmt"
	"strings"
	"testing"

	"contentedge/generator/imports"
)

// of returns an entry of a type.
func of(kind, id, fields string) string {
	return fmt.Sprintf(`{"sys":{"id":%q,"type":"Entry","contentType":{"sys":{"id":%q}},"createdAt":"2024-01-01T00:00:00.000Z",%s},"fields":{%s}}`, id, kind, live, fields)
}

// typed returns a content type with fields of one kind.
func typed(id, kind string, fields ...string) string {
	list := `{"id":"` + strings.Join(fields, `","type":"`+kind+`"},{"id":"`) + `","type":"` + kind + `"}`
	return fmt.Sprintf(`{"sys":{"id":%q},"name":%q,"fields":[%s]}`, id, id, list)
}

// TestPeople: types are judged by their names and their fields; those without a description by their entries.
func TestPeople(t *testing.T) {
	described := `"contentTypes":[` + strings.Join([]string{typed("visitor", "Symbol", "name", "email"), typed("host", "Symbol", "email", "slug"), typed("offer", "Boolean", "email")}, ",") + `]`
	list := entries(of("visitor", "a", `"name":{"en":"Ann"}`), of("host", "b", `"email":{"en":"b@example.org"}`), of("offer", "c", `"email":{"en":true}`), of("jobApplication", "d", `"name":{"en":"Di"}`),
		of("guest", "e", `"phone":{"en":"5551"}`), of("guest", "f", `"name":{"en":"Flo"}`), of("contactPage", "g", `"phone":{"en":"5551"}`))
	for _, tt := range []struct {
		types  []string
		want   string
		people int
	}{
		{nil, "site/b site/c site/g", 4},
		{[]string{"visitor", "guest", "host"}, "site/a site/b site/c site/e site/f site/g", 1},
	} {
		r := contentful(t, imports.Options{Types: tt.types}, described, list)
		if got := strings.Join(r.Names(), " "); r.Err != nil || got != tt.want || strings.Count(r.Account(), "people's data") == 0 {
			t.Fatalf("%v: %s, want %s\n%s", r.Err, got, tt.want, r.Account())
		}
		if n := r.Read - r.Items - r.Merged - 3; n != tt.people || r.Read != r.Items+r.Merged+r.Skipped {
			t.Errorf("%d are left out, want %d\n%s", n, tt.people, r.Account())
		}
	}
}
