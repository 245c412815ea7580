package pattern

import (
	"bytes"
	"testing"
)

func TestRegexpLiterals(t *testing.T) {
	for expr, want := range map[string]string{
		`.*foo.*`:           "foo",
		`.*foo`:             "foo",
		`fo(o)b`:            "foob",
		`.*"f.o".*`:         "f.o",
		`foo?bar`:           "fo bar",
		`fo+bar`:            "f o bar",
		`(foo)+bar`:         "foo bar",
		`(foo){0,2}bar`:     "bar",
		`(foo){2}bar`:       "foo bar",
		`.*(foo|bar)baz`:    "baz",
		`(.*foo.*)&(bar.*)`: "foo bar",
		`~(foo)bar`:         "bar",
		`fo[oO]É`:           "fooé",
		`fo[op]bar`:         "fo bar",
		`fo[o-p]bar`:        "fo bar",
		`foo<1-9>`:          "foo",
		`foo()bar`:          "foobar",
		`foo#`:              "foo",
		`.*`:                "",
		``:                  "",
	} {
		re, _, err := CompileRegexp(expr)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(bytes.Join(re.Literals(), []byte(" "))); got != want {
			t.Errorf("%s: %q, want %q", expr, got, want)
		}
	}
	re, _, err := CompileRegexpSyntax("Foo", AllSyntax|AnyCase)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(bytes.Join(re.Literals(), []byte(" "))); got != "foo" {
		t.Errorf("in any case: %q", got)
	}
}
