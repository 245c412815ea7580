package items

import (
	"testing"

	"contentedge/generator/source/environment"
)

// TestDecides: rows of one item may not differ in what says who sees it, or in what its rule names.
func TestDecides(t *testing.T) {
	is := decides(&environment.Rule{
		ID: "sku", Name: "label", Template: environment.Template{From: "kind"}, Status: environment.Status{From: "state"},
		Dates: []environment.DateSource{{Members: environment.People{environment.Created: "on"}}}, People: environment.People{environment.Updated: "editor"},
	})
	for column, want := range map[string]bool{
		"sku": true, "label": true, "kind": true, "state": true, "on": true, "editor": true, "Draft": true, "expires": true,
		"title": false, "price": false, "date": false,
	} {
		if got := is(column); got != want {
			t.Errorf("%s: %t", column, got)
		}
	}
}
