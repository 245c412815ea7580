// This file tests the query string parser: printed parse trees and syntax errors.

package lucene

import (
	"reflect"
	"strings"
	"testing"
)

// TestLucene shows the trees of query strings, as String writes them: a backslash before a space joins
// words to one text.
func TestLucene(t *testing.T) {
	type tree struct{ text, want string }
	for _, section := range []struct {
		name  string
		trees []tree
	}{
		{"adjacent words are one text, unless an operator or suffix belongs to one of them", []tree{
			{`a`, `a`},
			{`a b`, `a\ b`},
			{` a  b	c `, `a\ b\ c`},
			{"a\u3000b", `a\ b`},
			{"a\u00a0b", "a\u00a0b"},
			{`a b AND c`, `a b^1 AND c`},
			{`a b c AND d`, `a\ b c^1 AND d`},
			{`a b^2`, `a b^2`},
			{`a b~`, `a b~`},
			{`a b *`, `a b^1 *`},
			{`a b *:x`, `a b^1 *:x`},
			{`a b \*:x`, `a\ b *:x`},
			{`a b f:x`, `a\ b f:x`},
			{`f:a b c`, `f:a b\ c`},
			{`a b (c)`, `a\ b (c)`},
			{`a b -c`, `a\ b -c`},
			{`a -b c`, `a -b c^1`},
			{`a b NOT c`, `a\ b -c`},
			{`a b "c"`, `a\ b "c"`},
			{`a b*`, `a b*`},
			{`TO from TO`, `TO\ from\ TO`},
		}},
		{"operators stand before the clause that follows", []tree{
			{`a AND b`, `a AND b`},
			{`a && b || !c`, `a AND b OR -c`},
			{`a&&b`, `a&&b`},
			{`a && b AND NOT c OR +d`, `a AND b AND -c OR +d`},
			{`-a -b`, `-a -b`},
			{`NOT a`, `-a`},
			{`NOT (NOT a)`, `-(-a)`},
			{`a!b`, `a -b`},
			{`a-b`, `a-b`},
			{`a+b -c+d`, `a+b -c+d`},
			{`a - b`, `a \-^1 b^1`},
			{`a ! b`, `a \!^1 b^1`},
			{`- `, `\-`},
			{"!\u3000", `\!`},
			{`hello! you`, `hello \!^1 you^1`},
			{`and or not`, `and\ or\ not`},
			{`ANDx`, `ANDx`},
			{`\AND \|| x`, `AND\ ||\ x`},
			{`\AND`, `\AND`},
			{`\NOT -b`, `\NOT -b`},
			{`a | b & c`, `a\ |\ b\ &\ c`},
		}},
		{"parentheses make groups, and a boost follows a clause", []tree{
			{`((a))`, `((a))`},
			{`(a b) OR (c d)`, `(a\ b) OR (c\ d)`},
			{`(a)^2 b`, `(a)^2 b`},
			{`(a^2)^3`, `(a^2)^3`},
			{`(a b)(c)`, `(a\ b) (c)`},
			{`a ^2`, `a^2`},
			{`a^2b c`, `a^2 b\ c`},
			{`a^2.`, `a^2 .`},
			{`a^0.5 b^1.0 c`, `a^0.5 b c^1`},
		}},
		{"a field stands before a colon, for a term or a group", []tree{
			{`f:a`, `f:a`},
			{`f : a`, `f:a`},
			{`f:(a b)`, `(f:a\ b)`},
			{`f:(a b AND g:c (d))`, `(f:a f:b AND g:c (f:d))`},
			{`f:(a)^2`, `(f:a)^2`},
			{`Data.\*:x`, `Data.\*:x`},
			{`\*:x`, `*:x`},
			{`f\:g`, `f\:g`},
			{`f\ g:x`, `f\ g:x`},
			{`f:- x`, `f:\- x`},
			{`f:\-5`, `f:\-5`},
			{`f:>=10`, `f:>=10`},
			{`_exists_:"f"`, `_exists_:"f"`},
			{`note: x y`, `note:x y`},
			{`http://host`, `http:// host`},
		}},
		{"stars and question marks make prefixes and patterns", []tree{
			{`*`, `*`},
			{`f:*`, `f:*`},
			{`*:*`, `*:*`},
			{`f:\*`, `f:\*`},
			{`foo*`, `foo*`},
			{`*oo`, `*oo`},
			{`**`, `**`},
			{`f?o`, `f?o`},
			{`F*O b`, `F*O b`},
			{`what?`, `what?`},
			{`a\**`, `a\**`},
			{`a\*`, `a\*`},
			{`a\**b`, `a\**b`},
			{`-a*-b`, `-a*-b`},
			{`a*~2^3`, `a*^3`},
		}},
		{"a quoted text may have a slop", []tree{
			{`"a b"`, `"a b"`},
			{`"a b"~2`, `"a b"~2`},
			{`"a"^2~3`, `"a"~3^2`},
			{`"a" ~ 3`, `"a" 3`},
			{`"a"~3.9`, `"a"~3`},
			{`"a"~x`, `"a"`},
			{`"a"~-0.5`, `"a"~0`},
			{`"a"~1e2`, `"a"~100`},
			{`"a"~2147483648`, `"a"~2147483647`},
			{`"a \"b\" \\ /"`, `"a \"b\" \\ \u002f"`},
			{`""`, `""`},
			{`"AND"`, `"AND"`},
		}},
		{"a tilde after a word makes it fuzzy", []tree{
			{`a~`, `a~`},
			{`a ~2`, `a~2`},
			{`a~0.8`, `a~0.8`},
			{`a~abc`, `a~abc`},
			{`a~AUTO`, `a~AUTO`},
			{`a~2^3`, `a~2^3`},
			{`a^3~2`, `a~2^3`},
			{`a~1 b`, `a~1 b`},
			{`a~-1`, `a~-1`},
		}},
		{"slashes enclose a regular expression", []tree{
			{`/fo[o]+/`, `/fo[o]+/`},
			{`a/b/c`, `a /b/ c`},
			{`/a\/b/ c`, `/a\/b/ c`},
			{`/a\/ b`, `/a\/ b`},
			{`//`, `//`},
			{`/a/^2`, `/a/^2`},
		}},
		{"brackets enclose a range", []tree{
			{`[a TO c]`, `["a" TO "c"]`},
			{`f:{a TO *}`, `f:{"a" TO *}`},
			{`[* TO c}^2`, `[* TO "c"}^2`},
			{`["b c" TO "d\"e"]`, `["b c" TO "d\u0022e"]`},
			{`["*" TO \*]`, `[* TO *]`},
			{`[TO TO TO]`, `["TO" TO "TO"]`},
			{`{2016-01-01T00:00 TO now||/d]`, `{"2016-01-01T00:00" TO "now||\u002fd"]`},
			{`["a TO b]`, `["\u0022a" TO "b"]`},
			{`["a"b TO c]`, `["\u0022a\u0022b" TO "c"]`},
			{"[\ta TO \t b ]", `["` + "\t" + `a" TO "b"]`},
			{"[a TO \u3000b\t]", `["a" TO "` + "\u3000b\t" + `"]`},
			{`["" TO (]`, `["" TO "("]`},
			{`[a TO b] c`, `["a" TO "b"] c`},
		}},
		{"a backslash takes the meaning of a character", []tree{
			{`\p\e\l\a`, `pela`},
			{`a\ b`, `a\ b`},
			{`C\+\+`, `C++`},
			{`\u0061b`, `ab`},
			{`\u00E9\u00e9`, `éé`},
			{`\ud83d\ude00 \ud83d`, "😀\\ \ufffd"},
			{`\\`, `\\`},
			{`a\/b \(c\)`, `a\u002fb\ \(c\)`},
			{"a\\\u3000b", "a\\\u3000b"},
			{`50% a,b it's @x #y ;z <b> a=b`, `50%\ a,b\ it's\ @x\ #y\ ;z\ <b>\ a=b`},
		}},
		{"a blank text has no tree", []tree{
			{``, ``},
			{" \t\n\x00", ``},
		}},
	} {
		t.Run(section.name, func(t *testing.T) {
			for _, c := range section.trees {
				g, err := Parse(c.text, MaxNodes)
				if err != nil {
					t.Errorf("%q: %v", c.text, err)
					continue
				}
				if got := g.String(); got != c.want {
					t.Errorf("%q\n got %s\nwant %s", c.text, got, c.want)
				}
				checkReparse(t, g)
			}
		})
	}
}

// forgetAdjacent clears what printing loses: that words stood side by side.
func forgetAdjacent(g *Group) {
	if g == nil {
		return
	}
	for _, c := range g.Clauses {
		forgetAdjacent(c.Group)
		if c.Leaf != nil {
			c.Leaf.Adjacent = false
		}
	}
}

// checkReparse prints g and expects that parsing gives g again.
func checkReparse(t *testing.T, g *Group) {
	forgetAdjacent(g)
	t.Helper()
	again, err := Parse(g.String(), MaxNodes)
	if err != nil {
		t.Fatalf("%s: parsing the print: %v", g, err)
	}
	forgetAdjacent(again)
	if !reflect.DeepEqual(again, g) {
		t.Fatalf("%s: the print parses to %s", g, again)
	}
}

func TestQueryStringLeaves(t *testing.T) {
	for _, c := range []struct {
		text string
		want Leaf
	}{
		{`F:a\ b^2`, Leaf{Kind: LeafText, Field: "F", HasField: true, Text: "a b", Boost: 2, Slop: -1}},
		{`"a\"b"`, Leaf{Kind: LeafQuoted, Text: `a"b`, Boost: 1, Slop: -1}},
		{`"a b"~3`, Leaf{Kind: LeafQuoted, Text: "a b", Boost: 1, Slop: 3}},
		{`a\*b*`, Leaf{Kind: LeafPrefix, Text: "a*b", Boost: 1, Slop: -1}},
		{`a\*b*c`, Leaf{Kind: LeafWildcard, Text: `a\*b*c`, Boost: 1, Slop: -1}},
		{`*:*`, Leaf{Kind: LeafWildcard, Field: "*", HasField: true, Text: "*", Boost: 1, Slop: -1}},
		{`/a\.b/`, Leaf{Kind: LeafRegexp, Text: `a\.b`, Boost: 1, Slop: -1}},
		{`a\-b~AUTO`, Leaf{Kind: LeafFuzzy, Text: "a-b", Fuzzy: "AUTO", Boost: 1, Slop: -1}},
		{`a~^0.1`, Leaf{Kind: LeafFuzzy, Text: "a", Boost: float64(float32(0.1)), Slop: -1}},
		{`[* TO x}`, Leaf{Kind: LeafRange, Boost: 1, Slop: -1, LowOpen: true, High: "x", IncLow: true}},
		{`{a TO "*"]`, Leaf{Kind: LeafRange, Boost: 1, Slop: -1, Low: "a", HighOpen: true, IncHigh: true}},
		{`! `, Leaf{Kind: LeafText, Text: "!", Boost: 1, Slop: -1}},
	} {
		g, err := Parse(c.text, MaxNodes)
		if err != nil || len(g.Clauses) != 1 || g.Clauses[0].Leaf == nil {
			t.Errorf("%q: not one leaf: %v, %v", c.text, g, err)
			continue
		}
		if got := *g.Clauses[0].Leaf; got != c.want {
			t.Errorf("%q\n got %+v\nwant %+v", c.text, got, c.want)
		}
	}
}

func TestQueryStringErrors(t *testing.T) {
	for _, c := range []struct {
		text string
		pos  int
		want string
	}{
		{`hello!`, 6, `it ends where a word, a quoted text or a "(" must follow`},
		{`a -`, 3, `it ends where a word, a quoted text or a "(" must follow`},
		{`a ||`, 4, `it ends where a word, a quoted text or a "(" must follow`},
		{`f:`, 2, `it ends where a word, a quoted text or a "(" must follow`},
		{"\u3000", 3, `it ends where a word, a quoted text or a "(" must follow`},
		{`&& b`, 0, `the operator && is not possible here: write it in quotes or small letters to search for the word`},
		{`a AND OR b`, 6, `the operator OR is not possible here: write it in quotes or small letters to search for the word`},
		{`a OR AND`, 5, `the operator AND is not possible here: write it in quotes or small letters to search for the word`},
		{`!!`, 1, `the operator ! is not possible here: write it in quotes or small letters to search for the word`},
		{`NOT NOT a`, 4, `the operator NOT is not possible here: write it in quotes or small letters to search for the word`},
		{`+ -a -+b`, 6, `unexpected "+"`},
		{`nice :)`, 6, `unexpected ")": write \) for a parenthesis that is meant`},
		{`a)`, 1, `unexpected ")": write \) for a parenthesis that is meant`},
		{`()`, 1, `unexpected ")": write \) for a parenthesis that is meant`},
		{`(a`, 0, `this "(" is never closed: close it, or write \( for a parenthesis that is meant`},
		{`b (a (c)`, 2, `this "(" is never closed: close it, or write \( for a parenthesis that is meant`},
		{`:a`, 0, `unexpected ":": only a field's name may precede it, write \: for a colon that is meant`},
		{`a:b:c`, 3, `unexpected ":": only a field's name may precede it, write \: for a colon that is meant`},
		{`"f":x`, 3, `unexpected ":": only a field's name may precede it, write \: for a colon that is meant`},
		{`f*:x`, 2, `unexpected ":": only a field's name may precede it, write \: for a colon that is meant`},
		{`f:-5`, 2, `unexpected "-"`},
		{`f:AND`, 2, `the operator AND is not possible here: write it in quotes or small letters to search for the word`},
		{`5" disk`, 1, `this quote is never closed: close it, or write \" for a quote that is meant`},
		{`"a\"`, 0, `this quote is never closed: close it, or write \" for a quote that is meant`},
		{`a/b`, 1, `"/" begins a regular expression and no "/" ends it: write \/ for a slash that is meant`},
		{`http://host/path`, 11, `"/" begins a regular expression and no "/" ends it: write \/ for a slash that is meant`},
		{`[x]`, 2, `unexpected "]"`},
		{`[a b]`, 3, `unexpected "b"`},
		{`[a TO b`, 7, `it ends where a word, a quoted text or a "(" must follow`},
		{`a]`, 1, `unexpected "]": write \] for a bracket that is meant`},
		{`}`, 0, `unexpected "}": write \} for a bracket that is meant`},
		{`[a TO b]~2`, 8, `unexpected "~2"`},
		{`~a`, 0, `unexpected "~a"`},
		{`a~1~2`, 3, `unexpected "~2"`},
		{`a~1^2~3`, 5, `unexpected "~3"`},
		{`(a)~2`, 3, `unexpected "~2"`},
		{`a^2^3`, 3, `unexpected "^"`},
		{`a^`, 1, `a number must follow "^" at once: write \^ for a caret that is meant`},
		{`a^x`, 1, `a number must follow "^" at once: write \^ for a caret that is meant`},
		{`a^ 2`, 1, `a number must follow "^" at once: write \^ for a caret that is meant`},
		{`a^-1`, 1, `a number must follow "^" at once: write \^ for a caret that is meant`},
		{`a^` + strings.Repeat("9", 40), 1, `the boost is too large`},
		{`"a b"~-1`, 5, `the distance after ~ must not be negative`},
		{`\`, 0, `a backslash must be followed by the character it escapes: write \\ for a backslash that is meant`},
		{`é a\`, 4, `a backslash must be followed by the character it escapes: write \\ for a backslash that is meant`},
		{`[a TO b\]`, 7, `a backslash must be followed by the character it escapes`},
		{`a\u12g4`, 1, `\u must be followed by four hexadecimal digits: write \\ for a backslash that is meant`},
		{`"x\u12"`, 2, `\u must be followed by four hexadecimal digits: write \\ for a backslash that is meant`},
		{`/\u12/`, 1, `\u must be followed by four hexadecimal digits: write \\ for a backslash that is meant`},
		{`a*b\u`, 3, `\u must be followed by four hexadecimal digits: write \\ for a backslash that is meant`},
	} {
		g, err := Parse(c.text, MaxNodes)
		if err == nil {
			t.Errorf("%q: no error but %s", c.text, g)
			continue
		}
		if _, got, _ := strings.Cut(err.Message, ": "); got != c.want || err.Position != c.pos || err.Fault != Syntax {
			t.Errorf("%q\n got %d %s (%d)\nwant %d %s", c.text, err.Position, got, err.Fault, c.pos, c.want)
		}
	}
}

func TestQueryStringLimits(t *testing.T) {
	nest := func(n int) string { return strings.Repeat("(", n) + "a" + strings.Repeat(")", n) }
	for _, c := range []struct {
		name, text string
		fault      Fault
	}{
		{"clauses", strings.Repeat("a OR ", MaxClauses-1) + "a", none},
		{"one clause more", strings.Repeat("a OR ", MaxClauses) + "a", TooManyClauses},
		{"parentheses", nest(maxParens), none},
		{"one parenthesis more", nest(maxParens + 1), TooDeep},
		{"parentheses in a row", strings.Repeat("(a)", maxParens+1), none},
		{"unclosed parentheses", strings.Repeat("(", 1<<20), TooDeep},
		{"exclamation marks", strings.Repeat("!", 1<<20) + "a", Syntax},
		{"backslashes", strings.Repeat(`\`, 1<<20), none},
		{"field prefixes", strings.Repeat("a:", 1<<18), Syntax},
		{"words", strings.Repeat("a ", 1<<18), none},
		{"groups", strings.Repeat("("+strings.Repeat("a:a ", MaxClauses-1)+")", 9), TooManyClauses},
		{"escaped slashes", strings.Repeat(`/a\/ `, 1<<17), TooManyClauses},
		{"quotes in a range", "[" + strings.Repeat(`"a `, 1<<17), Syntax},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse(c.text, MaxNodes)
			if got := faultOf(err); got != c.fault {
				t.Errorf("got fault %d, want %d", got, c.fault)
			}
		})
	}
}

// none is the fault of a valid query string.
const none Fault = 255

func faultOf(err *Error) Fault {
	if err == nil {
		return none
	}
	return err.Fault
}
