// This test builds releases in the order of a path of Data, and compares the default list with the
// list that names the order, which the snapshot's columns give.

package generator_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"contentedge/edgeserve/engine/answer"
	"contentedge/edgeserve/engine/releasedir"
	"contentedge/generator"
	"contentedge/generator/verify"
)

// orderValues are values of a path by what they make of it.
var orderValues = map[string][]string{
	"dates": {`"2024-01-01T00:00:00Z"`, `"2024-01-01"`, `"2024-01-01T00:00:00+01:00"`, `"2023-12-31T23:00:00.000Z"`, `"2023-12-31T23:30:00Z"`,
		`["2020-01-01","2025-01-01T10:00:00-05:00"]`, `"2024-02"`, `null`},
	"texts":   {`"b"`, `"a"`, `"\u00e4"`, `"ä"`, `"2024-01-01"`, `"2024-01-01T00:00:00+01:00"`, `""`, `["z","A"]`, `null`},
	"numbers": {`1`, `1.0`, `-2`, `1e400`, `9007199254740993`, `9007199254740992`, `0.1`, `[5,-7]`, `null`},
	"mixed":   {`1`, `"1"`, `true`, `false`, `"a"`, `2.50`, `[true,"x",3]`, `null`, `{"n":1}`},
}

func TestDefaultOrderOfData(t *testing.T) {
	rnd := rand.New(rand.NewPCG(31, 27))
	for name, values := range orderValues {
		for _, direction := range []string{"asc", "desc"} {
			t.Run(name+" "+direction, func(t *testing.T) {
				dir, out := t.TempDir(), filepath.Join(t.TempDir(), "public")
				_, size := generator.Defaults()
				c := generator.BuildConfig{Content: dir, Out: out, Order: "Data.at.x:" + direction, PageSize: size, Removal: generator.Removal{Allow: true}}
				items := make([]string, 30)
				for i := range items {
					items[i] = values[rnd.IntN(len(values))]
				}
				for range 4 { // the later builds are incremental
					var text bytes.Buffer
					for i, v := range items {
						fmt.Fprintf(&text, `{"ContentID":"Content_%d","Name":"n","TemplateName":"T","CreatedAt":"2024-01-01T00:00:00Z","Data":{"x":7,"at":{"x":%s}}}`+"\n", i, v)
					}
					if err := os.MkdirAll(filepath.Join(dir, "site"), 0o755); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(filepath.Join(dir, "site", "items.ndjson"), text.Bytes(), 0o644); err != nil {
						t.Fatal(err)
					}
					if _, err := generator.Build(t.Context(), c); err != nil {
						t.Fatal(err)
					}
					sameLists(t, out, "sort=Data.at.x&sortAsc="+map[string]string{"asc": "true", "desc": "false"}[direction])
					items[rnd.IntN(len(items))] = values[rnd.IntN(len(values))]
				}
			})
		}
	}
}

// sameLists compares the default list of a release with the one of a query.
func sameLists(t *testing.T, public, query string) {
	t.Helper()
	r, err := verify.Dir(t.Context(), public)
	if err != nil || len(r.Problems) > 0 {
		t.Fatalf("%v, %v", r, err)
	}
	d, err := releasedir.Open(public, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	content := answer.FromSnapshots(d.Manifest, d.Readers)
	var bodies [2][]byte
	for i, target := range []string{"pageSize=1000", "pageSize=1000&" + query} {
		response, problem, err := content.Respond("/cda/rest/v1/site/contents?"+target, nil)
		if err != nil || problem != nil {
			t.Fatal(problem, err)
		}
		bodies[i] = response.Body
	}
	if !bytes.Equal(bodies[0], bodies[1]) {
		t.Errorf("the default list is\n%s\nthe one by %s\n%s", bodies[0], query, bodies[1])
	}
}
