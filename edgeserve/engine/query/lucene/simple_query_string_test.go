// This file tests the parser of simple_query_string. It prints Groups in the notation of
// query_string: + is required, - negated, the rest optional.

package lucene

import (
	"strings"
	"testing"
)

func TestSimpleQueryString(t *testing.T) {
	for _, c := range []struct{ text, or, and string }{
		{`a`, `a`, `a`},
		{`a b`, `a b^1`, `+a +b`},
		{`a + b`, `+a +b`, `+a +b`},
		{`a+b`, `+a +b`, `+a +b`},
		{`a | b`, `a b^1`, `a b^1`},
		{`a + b | c`, `(+a +b) c`, `(+a +b) c`},
		{`a | b + c`, `+(a b^1) +c`, `+(a b^1) +c`},
		{`a b + c`, `+(a b^1) +c`, `+a +b +c`},
		{`a +| b`, `+a +b`, `+a +b`},
		{`+ a`, `a`, `a`},
		{`a |`, `a`, `a`},
		{`-a`, `-a`, `-a`},
		{`a -b`, `a (-b)`, `+a +(-b)`},
		{`a + -b`, `+a +(-b)`, `+a +(-b)`},
		{`--a`, `a`, `a`},
		{`- a`, `a`, `a`},
		{`a-b`, `a-b`, `a-b`},
		{`-(a b)`, `-(a b^1)`, `-(+a +b)`},
		{`"a b"`, `"a b"~0`, `"a b"~0`},
		{`"a b"~2 c`, `"a b"~2 c`, `+"a b"~2 +c`},
		{`"a b"~ c`, `"a b"~2 c`, `+"a b"~2 +c`},
		{`"a b"~`, `"a b"~0`, `"a b"~0`},
		{`"a b"~x`, `"a b"~0`, `"a b"~0`},
		{`"a b"~-3`, `"a b"~0`, `"a b"~0`},
		{`"a b"~2"c"`, `"a b"~2 c`, `+"a b"~2 +c`},
		{`"a`, `a`, `a`},
		{`a + "" b`, `a b^1`, `+a +b`},
		{`""~2`, `""~2`, `""~2`},
		{`"a\"b"`, `"a\"b"~0`, `"a\"b"~0`},
		{`a*`, `a*`, `a*`},
		{`a*b`, `a\*b`, `a\*b`},
		{`a\*`, `a\*`, `a\*`},
		{`a*\`, `a\*`, `a\*`},
		{`a**`, `a\**`, `a\**`},
		{`*`, `*:*`, `*:*`},
		{` * `, `*:*`, `*:*`},
		{`* a`, `\* a^1`, `+\* +a`},
		{`a~`, `a~2`, `a~2`},
		{`a~1`, `a~1`, `a~1`},
		{`a~9`, `a~2`, `a~2`},
		{`a~0`, `a`, `a`},
		{`a~x`, `a`, `a`},
		{`~a`, `\~a`, `\~a`},
		{`a*~1`, `a\*~1`, `a\*~1`},
		{`(a b) + c`, `+(a b^1) +c`, `+(+a +b) +c`},
		{`(a)`, `a`, `a`},
		{`((a b))`, `a b^1`, `+a +b`},
		{`(a`, `a`, `a`},
		{`a)`, `a`, `a`},
		{`)(`, ``, ``},
		{`a + () b`, `a b^1`, `+a +b`},
		{`a + ( ) b`, `+a +b`, `+a +b`},
		{`\(a\) b`, `\(a\) b^1`, `+\(a\) +b`},
		{`(a \) b)`, `a \)^1 b^1`, `+a +\) +b`},
		{`a OR b`, `a \OR^1 b^1`, `+a +\OR +b`},
		{`f:a`, `f\:a`, `f\:a`},
		{`\`, ``, ``},
		{``, ``, ``},
		{" \t\n", ``, ``},
		{"é\\é", `éé`, `éé`},
	} {
		for _, and := range []bool{false, true} {
			g, err := ParseSimple(c.text, and, AllOperators, MaxNodes)
			if err != nil {
				t.Errorf("%q: %v", c.text, err)
				continue
			}
			want := c.or
			if and {
				want = c.and
			}
			if got := g.String(); got != want {
				t.Errorf("%q, and %v\n got %s\nwant %s", c.text, and, got, want)
			}
		}
	}
}

func TestSimpleQueryStringLimits(t *testing.T) {
	for _, c := range []struct {
		name, text string
		fault      Fault
	}{
		{"clauses", strings.Repeat("a ", MaxClauses), none},
		{"one clause more", strings.Repeat("a ", MaxClauses+1), TooManyClauses},
		{"groups", strings.Repeat("("+strings.Repeat("a ", MaxClauses)+")", 9), TooManyClauses},
		{"parentheses", strings.Repeat("(", maxParens) + "a" + strings.Repeat(")", maxParens), none},
		{"one parenthesis more", strings.Repeat("(", maxParens+1) + "a" + strings.Repeat(")", maxParens+1), TooDeep},
		{"parentheses in a row", strings.Repeat("(a)", maxParens+1), none},
		{"unclosed parentheses", strings.Repeat("(", 1<<20), none},
		{"quotes", strings.Repeat(`"`, 1<<20), none},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := ParseSimple(c.text, false, AllOperators, MaxNodes)
			if got := faultOf(err); got != c.fault {
				t.Errorf("got fault %d, want %d", got, c.fault)
			}
		})
	}
}

// Elements without words leave no operator but the one before them.
func TestSimpleWithout(t *testing.T) {
	for _, c := range []struct{ text, or, and string }{
		{`a b`, `a b^1`, `+a +b`},
		{`* a`, `a`, `a`},
		{`a b *`, `a b^1`, `+a +b`},
		{`a * b`, `a b^1`, `+a +b`},
		{`a + * b`, `+a +b`, `+a +b`},
		{`a | * b`, `a b^1`, `a b^1`},
		{`a + * | b`, `+a +b`, `+a +b`},
		{`a * | b`, `a b^1`, `a b^1`},
		{`* + a b`, `a b^1`, `+a +b`},
		{`a b + * c`, `+(a b^1) +c`, `+a +b +c`},
		{`a + b | * | c`, `(+a +b) c`, `(+a +b) c`},
		{`(a | *) + b`, `+a +b`, `+a +b`},
		{`(a b) * c`, `(a b^1) c`, `+(+a +b) +c`},
		{`a + (* *) b`, `+a +b`, `+a +b`},
		{`-* a`, `a`, `a`},
		{`a -(* b)`, `a (-b)`, `+a +(-b)`},
		{`* (* *)`, ``, ``},
	} {
		for _, and := range []bool{false, true} {
			g, err := ParseSimple(c.text, and, AllOperators, MaxNodes)
			if err != nil {
				t.Fatal(err)
			}
			want := c.or
			if and {
				want = c.and
			}
			if got := g.Without(func(l *Leaf) bool { return l.Text == "*" }).String(); got != want {
				t.Errorf("%q, and %v\n got %s\nwant %s", c.text, and, got, want)
			}
		}
	}
}
