// This file tests regular expressions against Lucene's results, and the work of compiling
// hostile ones against its limit.

package pattern

import (
	"errors"
	"strings"
	"testing"
)

// TestPattern shows which terms Lucene's regular expressions match, and which they do not. Wildcards and
// fuzzy words have tests of their own.
func TestPattern(t *testing.T) {
	tests := []struct{ name, expr, yes, no string }{ // terms separated by spaces; _ is the empty term
		{"empty", "", "_", "a"},
		{"text", "fox", "fox", "fo foxy _"},
		{"dot", "f.x", "fox f漢x f😀x f\nx", "fx foox"},
		{"optional", "ab?", "a ab", "abb _"},
		{"star", "ab*", "a ab abbb", "b"},
		{"plus", "(ab)+", "ab abab", "_ aba"},
		{"nested repetition", "(a+)+", "a aaaa", "_ aab"},
		{"count", "a{2}", "aa", "a aaa"},
		{"count from", "a{2,}", "aa aaaaa", "a"},
		{"count from to", "bu.{2,4}", "buab buabcd", "bua buabcde"},
		{"count to nothing", "ba{0}", "b", "ba"},
		{"count that no number meets", "a{3,2}|b", "b", "a aa aaa _"},
		{"repeated repetition", "a{2}{3}", "aaaaaa", "aaaaa aa"},
		{"union", "ab|cd|e", "ab cd e", "abcd _"},
		{"group", "a(b|c)d", "abd acd", "abcd"},
		{"empty group", "a()b", "ab", "a"},
		{"optional by empty group", "a(()|b)", "a ab", "abb"},
		{"class", "[in]houd", "ihoud nhoud", "houd"},
		{"class ranges", "[a-cx0-9]", "a b c x 5", "d -"},
		{"class negated", "[^a-c]", "d 漢 \n", "a b c _ dd"},
		{"class with operators", "[.*|&(]", ". * | & (", "a"},
		{"class that begins with its end", "[]a]", "] a", "b"},
		{"class negated that begins with its end", "[^]]", "a", "]"},
		{"class with caret", "[a^]", "a ^", "b"},
		{"class with escapes", `[\]\-\\]`, `] - \`, "a"},
		{"class range of escapes", `[\a-\c]`, "a b c", `\ -`},
		{"class that begins with dash", "[-a]", "- a", "b _"},
		{"quoted", `"a.*"b`, "a.*b", "axb"},
		{"quoted backslash", `"\"`, `\`, "_"},
		{"quoted nothing", `a""b`, "ab", `a""b`},
		{"escape", `a\.b\*`, "a.b*", "axb*"},
		{"escaped letters are themselves", `\d+`, "d dd", "1 11"},
		{"version number", `v?[0-9]+\.[0-9]+`, "v1.20 1.2", "v1 1,2"},
		{"anchors are literals", "^a$", "^a$", "a"},
		{"intersection", "d.{3}&.*s", "dogs", "dogy does1"},
		{"intersection binds looser than text", "ab&a.|c", "ab c", "ac"},
		{"intersection of three", "a.*&.*b.*&.*c", "abc axbxc", "ac abcd"},
		{"empty intersection", "a&b", "x.", "a b ab _"},
		{"complement", "~a", "_ b aa", "a"},
		{"complement binds tighter than repetition", "~a{0}", "_", "a b"},
		{"complement of group", "~(ab)", "a b abc _", "ab"},
		{"double complement", "~~a", "a", "b _"},
		{"complement in text", "a~(b.*)c", "ac axc aac", "xac"},
		{"contains not", "@&~(@foo@)", "bar fo _", "foo afoob"},
		{"nothing", "a#b|c", "c", "ab a#b"},
		{"anything", "de@", "de den de\nx", "d"},
		{"interval", "<1990-2030>", "1990 2007 2030", "1989 2031 02000 200"},
		{"interval with fewer digits", "<7-120>", "7 120 99 007 0000120", "6 121 0 _"},
		{"interval with leading zeros", "<01-10>", "01 09 10", "1 9 11 001 00"},
		{"interval from zero", "<0-12>", "0 00 9 12 012", "13 _"},
		{"interval backwards", "<12-3>", "3 12 07", "2 13"},
		{"interval of one", "<5-5>", "5", "05 4"},
		{"interval over one decade", "<19-31>", "19 25 30 31", "18 32 5"},
		{"interval with plus", "<+1-5>", "1 05", "+1 6"},
		{"interval to the limit", "<1-2147483647>", "2147483647 1 0999999999", "2147483648 0"},
		{"operator first is literal", "|a", "|a", "a _"},
		{"star first is literal", "*a", "*a", "a"},
		{"union of a literal bar", "a||b", "a |b", "b _"},
		{"group with a literal bar", "(|a)", "|a", "a _"},
		{"closing brackets are literals", "]}>", "]}>", "]"},
		{"opening brace first is literal", "{a", "{a", "a"},
		{"ampersand after bar is literal", "a|&b", "a &b", "b"},
		{"closing parenthesis first is literal", ")", ")", "_"},
		{"beyond the basic plane", "[😀-😂]{2}", "😀😂", "😀 😀😃"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, _, err := CompileRegexp(tt.expr)
			if err != nil {
				t.Fatal(err)
			}
			checkTerms(t, r, tt.yes, true)
			checkTerms(t, r, tt.no, false)
		})
	}
}

func checkTerms(t *testing.T, r *Regexp, terms string, want bool) {
	t.Helper()
	for term := range strings.SplitSeq(terms, " ") {
		term = strings.ReplaceAll(term, "_", "")
		if term == "x." || term == "-." { // a matcher that accepts nothing has no such term
			continue
		}
		if got := r.Match([]byte(term)); got != want {
			t.Errorf("matches %q: %v, want %v", term, got, want)
		}
	}
}

func TestRegexpErrors(t *testing.T) {
	tests := []struct {
		name, expr, message string
		position            int
	}{
		{"open group", "loads(", "unexpected end", 6},
		{"deep open groups", strings.Repeat("(", 1000), "unexpected end", 1000},
		{"group without end", "(a", "expected ')'", 2},
		{"end without group", "a)b", "unexpected ')'", 1},
		{"open class", "[a", "expected ']'", 2},
		{"empty class", "[]", "expected ']'", 2},
		{"empty negated class", "[^]", "expected ']'", 3},
		{"class range backwards", "x[z-a]", "the range ends before it begins", 2},
		{"class range to its end", "[a-]", "the range ends before it begins", 1},
		{"open quote", `a"b`, `expected '"'`, 3},
		{"open interval", "<1-2", "expected '>'", 4},
		{"interval of names", "<name>", "expected an interval of numbers like <1-10>", 1},
		{"interval without start", "<-5>", "expected an interval of numbers like <1-10>", 1},
		{"interval of three", "é<1-2-3>", "expected an interval of numbers like <1-10>", 3},
		{"interval too large", "<1-2147483648>", "expected an interval of numbers like <1-10>", 1},
		{"count without number", "a{,3}", "expected a number", 2},
		{"count without end", "a{2", "expected '}'", 3},
		{"count of words", "a{b}", "expected a number", 2},
		{"count too large", "a{2147483648}", "the number is too large", 12},
		{"bar at the end", "a|", "unexpected end", 2},
		{"ampersand at the end", "a&", "unexpected end", 2},
		{"complement at the end", "~", "unexpected end", 1},
		{"backslash at the end", `a\`, "unexpected end", 2},
		{"too long", strings.Repeat("a", 1001), "the regular expression is longer than 1000 characters", -1},
		{"too long in utf-16", strings.Repeat("😀", 501), "the regular expression is longer than 1000 characters", -1},
		{"too many states", ".*a.{13}", "the regular expression is too complex", -1},
		{"too many copies", "((a{1,100}){1,100}){1,100}", "the regular expression is too complex", -1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := CompileRegexp(tt.expr)
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("error %v, want an *Error", err)
			}
			if e.Message != tt.message || e.Position != tt.position {
				t.Errorf("%q at %d, want %q at %d", e.Message, e.Position, tt.message, tt.position)
			}
		})
	}
	if got := (&Error{"unexpected end", 3}).Error(); got != "unexpected end at position 3" {
		t.Error(got)
	}
}

func TestRegexpPrefix(t *testing.T) {
	tests := []struct{ name, expr, want string }{
		{"text", "fox", "fox"},
		{"text then anything", "fo.*", "fo"},
		{"beyond ascii", "é漢@", "é漢"},
		{"union with common start", "abc|abd|abe.*", "ab"},
		{"optional end", "abc?", "ab"},
		{"class", "[ab]c", ""},
		{"class of one", "[a]c", "ac"},
		{"any start", ".*abc", ""},
		{"intersection", "ab.*&.bc.*", "abc"},
		{"dead branch", "abc|xy#", "abc"},
		{"nothing", "#", ""},
		{"last code point", "\U0010ffffa", "\U0010ffffa"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, _, err := CompileRegexp(tt.expr)
			if err != nil {
				t.Fatal(err)
			}
			if got := string(r.Prefix()); got != tt.want {
				t.Errorf("prefix %q, want %q", got, tt.want)
			}
		})
	}
}

func TestRegexpWalkTest(t *testing.T) {
	tests := []struct {
		name, expr, term string
		ok               bool
		dead             int
	}{
		{"match", "ab*", "abb", true, 0},
		{"could go on", "abc", "ab", false, 0},
		{"lost at once", "abc", "xbc", false, 1},
		{"lost later", "ab*", "abac", false, 3},
		{"lost after a long code point", "é+b", "é漢b", false, 5},
		{"lost though the automaton goes on", "a(b.*#|c)", "abb", false, 2},
		{"nothing matches", "#", "abc", false, 0},
		{"nothing is left", "~@", "abc", false, 0},
		{"nothing is left behind", "ab|c~@", "cx", false, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, _, err := CompileRegexp(tt.expr)
			if err != nil {
				t.Fatal(err)
			}
			if ok, dead := r.Walk().Test([]byte(tt.term), 0); ok != tt.ok || dead != tt.dead {
				t.Errorf("got %v %d, want %v %d", ok, dead, tt.ok, tt.dead)
			}
		})
	}
}

func TestRegexpLarge(t *testing.T) {
	var letters strings.Builder
	for c := 'Ā'; letters.Len() < 1600; c += 2 {
		letters.WriteRune(c)
	}
	expr := letters.String() + "{3}"
	r, _, err := CompileRegexp(expr)
	if err != nil {
		t.Fatal(err)
	}
	if r.table != nil {
		t.Fatal("the automaton is small enough for a table")
	}
	term := letters.String()
	last := term[len(term)-2:]
	if !r.Match([]byte(term + last + last)) {
		t.Error("does not match its own text")
	}
	if ok, dead := r.Walk().Test([]byte(term+"x"), 0); ok || dead != len(term)+1 {
		t.Errorf("got %v %d", ok, dead)
	}
}

// TestRegexpHostile checks that rejecting an expression is bounded work.
func TestRegexpHostile(t *testing.T) {
	tests := []struct {
		name, expr string
		legal      bool
	}{
		{"nested counts", "((a{1,100}){1,100}){1,100}", false},
		{"nested counts of nothing", "((){30000}){30000}", false},
		{"endless counts", "a{2000000000}", false},
		{"endless counts of nothing", "#{2000000000}", false},
		{"nested optional counts", "(a{0,90}){0,90}", false},
		{"as many states as allowed", "(a{97})*|(a{101})*", true},
		{"more states than allowed", "(a{101})*|(a{103})*", false},
		{"more states than allowed in a product", "(a{101})*&(a{103})*", false},
		{"large intervals", strings.Repeat("<1-2147483647>,", 20), true},
		{"nested stars", "(((a*)*)*)*", true},
		{"nested plus", "((a+)+)+b", true},
		{"remembers too much", "(a|b)*a(a|b){14}", false},
		{"remembers too much under complement", "~(~(.*a.{14}))", false},
		{"remembers too much in a product", "@a.{10}@&@b.{10}@", false},
		{"counts of a union", "(a|b|ab|ba){500}", false},
		{"optional letters", strings.Repeat("a?", 300) + strings.Repeat("a", 300), true},
		{"long class counted", "([" + strings.Repeat("acegikmoqsuwy", 70) + "]){1000}", true},
		{"many intervals", strings.Repeat("<1-2147483647>", 71), false},
		{"deep groups", strings.Repeat("(", 499) + "aa" + strings.Repeat(")", 499), true},
		{"deep complements", strings.Repeat("~", 999) + "a", true},
		{"deep intersections", strings.Repeat("(.*&", 199) + "a" + strings.Repeat(")", 199), true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tree, err := parseRegexp(tt.expr, AllSyntax)
			if err != nil {
				t.Fatal(err)
			}
			b := &nfaBuilder{alphabet: newAlphabet(tree), work: &budget{left: maxWork}}
			if d := b.deterministic(tree); (d != nil) != tt.legal {
				t.Errorf("compiled %v, legal %v", d != nil, tt.legal)
			}
			if over := -b.work.left; over > maxWork/4 {
				t.Errorf("went on for %d steps after the budget was spent", over)
			}
		})
	}
}

// TestIntersectIsBounded multiplies two automata into half a million states.
func TestIntersectIsBounded(t *testing.T) {
	tree, err := parseRegexp(".*a.{11}&.*b.{11}", AllSyntax)
	if err != nil {
		t.Fatal(err)
	}
	b := &nfaBuilder{alphabet: newAlphabet(tree), work: &budget{left: maxWork}}
	x, y := b.deterministic(tree.kids[0]), b.deterministic(tree.kids[1])
	work := &budget{left: 100_000}
	if d := intersect(x, y, work); d != nil || work.left < -1000 {
		t.Errorf("result %v, %d steps left", d != nil, work.left)
	}
}

func TestMatchersDoNotAllocate(t *testing.T) {
	re, _, err := CompileRegexp("(qu|k)[a-z]+k&~(@z@)")
	if err != nil {
		t.Fatal(err)
	}
	long := []byte(strings.Repeat("quick été ", 50))
	for name, m := range map[string]Matcher{
		"wildcard": CompileWildcard("*U?c*T*", FoldAll),
		"regexp":   re,
		"fuzzy":    CompileFuzzy(strings.Repeat("quick été ", 50), 2, 1),
	} {
		if n := testing.AllocsPerRun(100, func() { m.Match(long) }); n != 0 {
			t.Errorf("%s allocates %v times a match", name, n)
		}
	}
}

func BenchmarkRegexpCompile(b *testing.B) {
	for _, expr := range []string{"bu.{2,4}", "v?[0-9]+\\.[0-9]+", ".*a.{11}", "((a{1,100}){1,100}){1,100}"} {
		b.Run(expr, func(b *testing.B) {
			for b.Loop() {
				_, _, _ = CompileRegexp(expr)
			}
		})
	}
}

func BenchmarkRegexpMatch(b *testing.B) {
	for _, expr := range []string{".*ing", "(re|un)[a-z]+able", ".*a.{11}"} {
		re, _, err := CompileRegexp(expr)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(expr, func(b *testing.B) {
			term := []byte("unconscionable")
			b.ReportAllocs()
			for b.Loop() {
				re.Match(term)
			}
		})
	}
}
