package ghost

import (
	"testing"

	"contentedge/generator/imports"
	"contentedge/generator/imports/importstest"
)

// TestPeople: Ghost's own tables of people never become items. Flags name its types.
func TestPeople(t *testing.T) {
	text := tables("5.0", post1(`,"html":"<p>Hi</p>"`), `"members":[{"email":"eve@example.net"}]`, `"subscribers":[{"email":"jo@example.net"}]`)
	r := run(t, Options{}, text).OK()
	r.Count("members", "not content", 1)
	r.Count("subscribers", "not content", 1)
	r.Lacks("@")
	importstest.Try(t, System(Options{}), map[string]string{"e.json": text}, imports.Options{Types: []string{"post"}}).OK().Named("Hello")
	importstest.Try(t, System(Options{}), map[string]string{"e.json": text}, imports.Options{Types: []string{"members"}}).Fails(`--type: the export has no type "members"`, `"post"`)
}
