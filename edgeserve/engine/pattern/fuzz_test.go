// These fuzz tests cover all matchers. Nothing may panic, the results must equal a reference,
// and the limits must hold.

package pattern

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzWildcard compares with Go's regexp and counts steps.
func FuzzWildcard(f *testing.F) {
	f.Add("*a*a*a*b", "aaaaaaaaaaaaaaaa", uint8(0))
	f.Add(`\*É?`, "*é\u212a", uint8(2))
	f.Fuzz(func(t *testing.T, pat, term string, fold uint8) {
		if len(pat) > 500 || len(term) > 5000 || !utf8.ValidString(pat) {
			return
		}
		if !utf8.ValidString(term) {
			CompileWildcard(pat, Fold(fold%3)).Match([]byte(term))
			return
		}
		checkWildcard(t, pat, term, Fold(fold%3))
	})
}

// FuzzRegexp compares an expression with equivalent expressions.
func FuzzRegexp(f *testing.F) {
	f.Add("(a+)+&~(@b@)|<1-10>", "aab")
	f.Add("((a{1,100}){1,100}){1,100}", "a")
	f.Fuzz(func(t *testing.T, expr, term string) {
		re, _, err := CompileRegexp(expr)
		if err != nil {
			checkError(t, err, expr)
			return
		}
		ok, deadPrefix := re.Walk().Test([]byte(term), 0)
		if ok && utf8.ValidString(term) && !strings.HasPrefix(term, string(re.Prefix())) {
			t.Fatalf("%q matches %q without its prefix %q", expr, term, re.Prefix())
		}
		for _, end := range []string{"", "a", term, string(re.Prefix())} {
			if deadPrefix > 0 && re.Match([]byte(term[:deadPrefix]+end)) {
				t.Fatalf("%q matches %q behind a dead prefix", expr, term[:deadPrefix]+end)
			}
		}
		if strings.HasPrefix(expr, ")") || expr == "" { // has another meaning in parentheses
			return
		}
		for _, same := range []string{"(" + expr + ")", "~(~(" + expr + "))", "@&(" + expr + ")|#"} {
			twin, _, err := CompileRegexp(same)
			if err == nil && twin.Match([]byte(term)) != ok {
				t.Fatalf("%q and %q disagree on %q", expr, same, term)
			}
		}
	})
}

func checkError(t *testing.T, err error, expr string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Message == "" || e.Position < -1 || e.Position > len(expr) {
		t.Fatalf("%q: error %v without a place", expr, err)
	}
}

// FuzzFuzzy compares with the full distance table.
func FuzzFuzzy(f *testing.F) {
	f.Add("quikc", "quick", 2, 1)
	f.Add("漢字", "字漢a", 1, 0)
	f.Fuzz(func(t *testing.T, word, term string, edits, prefix int) {
		if len(word) > 40 || len(term) > 60 || !utf8.ValidString(word) || !utf8.ValidString(term) {
			if len(word)+len(term) < 10_000 {
				CompileFuzzy(word, edits, prefix).Distance([]byte(term))
			}
			return
		}
		checkFuzzy(t, word, term, edits, prefix)
	})
}
