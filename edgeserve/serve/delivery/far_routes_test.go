package delivery

import (
	"strings"
	"testing"

	"contentedge/edgeserve/pagetest"
	"contentedge/edgeserve/wire/address"
)

// TestFarRoutes compares the table of routes with those that there are, and with the one in CLUSTER.md.
func TestFarRoutes(t *testing.T) {
	rows := map[address.Kind]int{}
	var table strings.Builder
	table.WriteString("| route | from | but |\n|---|---|---|\n")
	for _, r := range FarRoutes {
		var from []string
		for _, s := range r.Sources {
			from = append(from, string(s))
		}
		table.WriteString("| " + r.Name + " | " + strings.Join(from, ", then ") + " | " + r.But + " |\n")
		for _, k := range r.Kinds {
			rows[k]++
		}
	}
	for _, e := range address.Endpoints() {
		for _, k := range []address.Kind{e.Kind, e.ForGET} {
			if k != 0 && rows[k] != 1 {
				t.Errorf("%s (kind %d) has %d rows", e.Pattern, k, rows[k])
			}
		}
	}
	pagetest.List(t, "../../CLUSTER.md", "routes at a cluster", table.String())
}
