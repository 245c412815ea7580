// This file tests simple_query_string with some of its operators.

package lucene

import "testing"

func TestSimpleFlags(t *testing.T) {
	for _, c := range []struct {
		text  string
		flags int
		want  string
	}{
		{`a|b -c d*`, AllOperators, `a b^1 (-c) d*`},
		{`a b`, 0, `a\ b`},
		{`a b*`, simpleWhitespace, `a b\*^1`},
		{`a -b`, simpleWhitespace, `a \-b^1`},
		{`a|b`, simpleAnd, `a|b`},
		{`"a b"`, simpleWhitespace, `\"a b\"^1`},
		{`"a b"~2`, simpleWhitespace | simplePhrase, `"a b"~0 \~2`},
		{`(a b)`, simpleWhitespace, `\(a b\)^1`},
		{`a~1 b`, simpleWhitespace, `a\~1 b^1`},
		{`a\ b`, simpleWhitespace, `a\\ b^1`},
	} {
		g, err := ParseSimple(c.text, false, c.flags, MaxNodes)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if got := g.String(); got != c.want {
			t.Errorf("%s with %b: %s, want %s", c.text, c.flags, got, c.want)
		}
	}
}
