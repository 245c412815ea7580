// These tests look at what is known of the items of a template, from files of any number and order.

package model

import (
	"encoding/json"
	"fmt"
	"testing"
)

func TestTemplatesOfItems(t *testing.T) {
	item := func(id, template, data string) string {
		return fmt.Sprintf(`{"ContentID":%q,"Name":"x","TemplateName":%q,"CreatedAt":"2024-01-01T00:00:00Z","Extra":1%s}`+"\n", id, template, data)
	}
	files := map[string]string{
		"e/a.ndjson": item("a", "Post", `,"Data":{"author":{"Type":"Reference","ReferenceType":"Content","ContentIDs":["p","b"]},"more":[{"Type":"Reference","ReferenceType":"Content","ContentIDs":["gone"]}]}`) +
			item("b", "Post", `,"Data":null`),
		"e/p.ndjson": item("p", "Person", `,"Data":{"friends":{"to":{"Type":"Reference","ReferenceType":"Content","ContentIDs":["p"]}},"like":{"Type":"Reference","ReferenceType":"Content","ContentIDs":["a"]}}`) +
			item("q", "Person", `,"Elsewhere":{"Type":"Reference","ReferenceType":"Content","ContentIDs":["a"]}`),
	}
	want := `[{"name":"Person","items":2,"paths":[{"keys":["Data"],"always":true,"kinds":{"object":2}},` +
		`{"keys":["Data","friends"],"kinds":{"object":1}},{"keys":["Data","friends","to"],"always":true,"kinds":{"reference":1},"targets":["Person"]},` +
		membersOfReference("Data", "friends", "to") + `{"keys":["Data","like"],"kinds":{"reference":1},"targets":["Post"]},` + membersOfReference("Data", "like") +
		`{"keys":["Elsewhere"],"kinds":{"reference":1}},` + membersOfReference("Elsewhere") + `{"keys":["Extra"],"always":true,"kinds":{"integer":2}}]},` +
		`{"name":"Post","items":2,"paths":[{"keys":["Data"],"always":true,"kinds":{"object":2}},` +
		`{"keys":["Data","author"],"kinds":{"reference":1},"targets":["Person","Post"]},` + membersOfReference("Data", "author") +
		`{"keys":["Data","more"],"kinds":{"array":1},"elements":[{"reference":1}]},` + membersOfReference("Data", "more") + `{"keys":["Extra"],"always":true,"kinds":{"integer":2}}]}]`
	for _, broken := range []Broken{BrokenWarns, BrokenPasses} {
		site, diagnostics, err := Load(t.Context(), tree(t, files), Options{Broken: broken})
		if err != nil || site == nil {
			t.Fatal(err, diagnostics)
		}
		if got, _ := json.Marshal(site.Envs[0].Templates); string(got) != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// membersOfReference is the paths of the members of a reference at keys.
func membersOfReference(keys ...string) (out string) {
	for _, m := range []struct{ key, rest string }{{"ContentIDs", `"kinds":{"array":1},"elements":[{"string":%d}]`}, {"ReferenceType", `"kinds":{"string":1}`}, {"Type", `"kinds":{"string":1}`}} {
		path, _ := json.Marshal(append(keys[:len(keys):len(keys)], m.key))
		rest := m.rest
		if m.key == "ContentIDs" {
			n := 1
			if keys[len(keys)-1] == "author" {
				n = 2
			}
			rest = fmt.Sprintf(rest, n)
		}
		out += fmt.Sprintf(`{"keys":%s,"always":true,%s},`, path, rest)
	}
	return out
}
