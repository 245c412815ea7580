package delivery

import (
	"flag"
	"os"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/address"
)

var update = flag.Bool("update", false, "write the table of routes into CLUSTER.md")

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
	const page, begin, end = "../../CLUSTER.md", "<!-- routes at a cluster -->\n", "<!-- end -->"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	old, after, ends := strings.Cut(rest, end)
	switch {
	case !ok || !ends:
		t.Fatalf("%s has no table of routes", page)
	case old == table.String():
	case *update:
		if err := os.WriteFile(page, []byte(before+begin+table.String()+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s has another table: run go test with -update, and read the difference", page)
	}
}
