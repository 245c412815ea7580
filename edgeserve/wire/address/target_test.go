package address

import "testing"

func TestSplitTarget(t *testing.T) {
	for _, c := range []struct{ target, path, query string }{
		{"/a?b?c", "/a", "b?c"},
		{"/a", "/a", ""},
		{"http://h/a?b", "/a", "b"},
		{"http://h?b", "/", "b"},
		{"http://h", "/", ""},
		{"/a://b", "/a://b", ""},
		{"*", "*", ""},
		{"h:80", "h:80", ""},
		{"//h/a", "//h/a", ""},
	} {
		if path, query := SplitTarget(c.target); path != c.path || query != c.query {
			t.Errorf("SplitTarget(%q) = %q, %q", c.target, path, query)
		}
	}
}
