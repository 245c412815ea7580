package documents

import "testing"

// TestTargets: an answer has what its Target has, but nothing of a hidden item except its id.
func TestTargets(t *testing.T) {
	for _, tt := range []struct{ target, want Target }{
		{Target{}, Target{}},
		{Target{Path: "a"}, Target{}},
		{Target{ID: "C"}, Target{ID: "C"}},
		{Target{ID: "C", Path: "a\nb", Slug: "s", Language: "ja", Template: "T \\ \"'"}, Target{ID: "C", Path: "a\nb", Slug: "s", Language: "ja", Template: "T \\ \"'"}},
		{Target{ID: "C", Template: "T"}, Target{ID: "C", Template: "T"}},
		{Target{ID: "C", Path: "a\x00b", Slug: "\x00"}, Target{ID: "C", Path: "a\uFFFDb", Slug: "\uFFFD"}},
		{Target{ID: "C", Path: "a", Slug: "b", Template: "c", Hidden: true}, Target{ID: "C", Hidden: true}},
	} {
		if got := TargetOf(tt.target.Answer()); got != tt.want {
			t.Errorf("%+v becomes %+v", tt.target, got)
		}
	}
	if language, target := CutLinkKey(LinkKey("ja", "a\nb.md")); language != "ja" || target != "a\nb.md" {
		t.Errorf("%q %q", language, target)
	}
}
