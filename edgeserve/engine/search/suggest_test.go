package search_test

import (
	"testing"

	"contentedge/edgeserve/engine/searchtest"
)

// A path with empty texts alone has no words to suggest, nor a likelihood of those of a text.
func TestNoPhraseOfEmptyTexts(t *testing.T) {
	r := searchtest.Snaptest(t, []string{`{"ContentID":"a","CreatedAt":"2024-01-01T00:00:00.000Z","Name":""}`})
	const want = `{"s":[{"text":"word","offset":0,"length":4,"options":[]}]}`
	if got := evaluate(t, r, `{"suggest":{"s":{"text":"word","phrase":{"field":"Name","confidence":0}}}}`).Suggestions; string(got) != want {
		t.Errorf("%s, want %s", got, want)
	}
}
