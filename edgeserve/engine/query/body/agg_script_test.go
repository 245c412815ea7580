// This file tests the scripts of pipelines.

package body

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/script"
)

// scriptOf parses the script of a bucket_selector over the counts n and m, or of a bucket_script.
func scriptOf(kind, script string) (*script.Script, error) {
	b, err := Parse([]byte(`{"aggs":{"t":{"terms":{"field":"F"},"aggs":{"s":{"` + kind + `":{"buckets_path":{"n":"_count","my-m":"_count"},"script":` + script + `}}}}}}`))
	if err != nil {
		return nil, err
	}
	return b.Aggs[0].Subs[0].Options.(*query.Pipeline).Script, nil
}

func TestScripts(t *testing.T) {
	const condition, number = "bucket_selector", "bucket_script"
	for _, c := range []struct {
		kind, script string
		want         float64
	}{
		{condition, "params.n > 5", 1},
		{condition, "return params.n >= 7 ;", 1},
		{condition, "params.n>7", 0},
		{condition, "params.n < 7 || params['my-m'] == 2", 1},
		{condition, "params.n == 7 && !(params[\"my-m\"] != 2)", 1},
		{condition, "!(params.n > 5) || params.n < 1 && params.n < 8", 0},
		{condition, "(params.n > 5) == (params.n < 5)", 0},
		{condition, "1 + 2 * 3 == 7 && 10 - 4 - 3 == 3", 1},
		{condition, "params.n <= -params['my-m']", 0},
		{number, "params.n / params['my-m'] / 2", 1.75},
		{number, "(params.n + 1.5e1) * .5", 11},
		{number, "params.n-1", 6},
		{number, "- - params.n", 7},
		{number, "1 / 2.0", 0.5},
		{number, "1.0 / (params.n - 7)", math.Inf(1)},
	} {
		text, _ := json.Marshal(c.script)
		s, err := scriptOf(c.kind, string(text))
		if err != nil {
			t.Errorf("%s: %v", c.script, err)
		} else if got := s.Number([]float64{7, 2}); got != c.want {
			t.Errorf("%s: got %v, want %v", c.script, got, c.want)
		}
	}
	for _, c := range []struct {
		script string
		want   float64
	}{
		{`{"source":"params.n > params.least","params":{"least":6}}`, 1},
		{`{"source":"params.n > params.least","params":{"least":6},"lang":"painless"}`, 1},
		{`{"source":"n > 1 && n / 2","lang":"expression"}`, 1},
		{`{"source":"(n > 1) - 1","lang":"expression"}`, 0},
		{`{"source":"n + least - 8 * (n == 7)","lang":"expression","params":{"least":1}}`, 0},
	} {
		s, err := scriptOf(condition, c.script)
		if err != nil {
			t.Errorf("%s: %v", c.script, err)
		} else if got := s.Number([]float64{7, 2}); got != c.want {
			t.Errorf("%s: got %v, want %v", c.script, got, c.want)
		}
	}
	if s, err := scriptOf(condition, `"params.n > 0 || params.n <= 0 || params.n == params.n"`); err != nil || s.Number([]float64{math.NaN(), 0}) != 0 {
		t.Error("a comparison with a gap holds")
	}
}

func TestScriptErrors(t *testing.T) {
	deep := strings.Repeat("(", 33) + "params.n" + strings.Repeat(")", 33) + " > 1"
	for _, c := range []struct{ kind, script, want string }{
		{"bucket_selector", `"params.n"`, "it must be a condition"},
		{"bucket_script", `"params.n > 1"`, "it must be a number"},
		{"bucket_selector", `""`, "at character 1: it ends too early"},
		{"bucket_selector", `"params.n >"`, "at character 11: it ends too early"},
		{"bucket_selector", `"params.n > 1 2"`, `at character 14: "2" is unexpected`},
		{"bucket_selector", `"params.n = 1"`, `at character 10: "=" is unexpected`},
		{"bucket_selector", `"doc['F'].value > 1"`, `at character 1: "doc" is unexpected`},
		{"bucket_selector", `"Math.abs(params.n) > 1"`, `at character 1: "Math" is unexpected`},
		{"bucket_selector", `"params.n.intValue() > 1"`, `at character 9: "." is unexpected`},
		{"bucket_selector", `"params.n > 1 ? true : false"`, `at character 14: "?" is unexpected`},
		{"bucket_selector", `"params.n % 2 == 0"`, `at character 10: "%" is unexpected`},
		{"bucket_selector", `"/*é*/ params.n > 0"`, `at character 1: "/" is unexpected`},
		{"bucket_selector", `"params.n > 1L"`, `at character 12: "1L" is not a number`},
		{"bucket_selector", `"params.é > 1"`, `at character 8: a name is missing`},
		{"bucket_selector", `"params.x > 1"`, `at character 1: "x" is neither in buckets_path nor in the script's params`},
		{"bucket_selector", `"params > 1"`, "at character 8: params needs a name"},
		{"bucket_selector", `"(params.n > 1"`, "at character 14: a parenthesis from character 1 on is not closed"},
		{"bucket_selector", `"params.n && params.n"`, "at character 10: && needs a condition on both sides"},
		{"bucket_selector", `"!params.n"`, "at character 1: ! needs a condition"},
		{"bucket_selector", `"-(params.n > 1) > 0"`, "at character 1: - needs a number"},
		{"bucket_selector", `"--params.n > 0"`, "at character 1: -- is not an operator"},
		{"bucket_selector", `"1 < params.n < 5"`, "at character 14: < needs a number on both sides"},
		{"bucket_script", `"params.n * (1 / 2)"`, "at character 15: a division of two whole numbers drops the fraction"},
		{"bucket_script", `"1e"`, `at character 1: "1e" is not a number`},
		{"bucket_script", `"` + strings.Repeat("1+", 512) + `1"`, "it is longer than 1024 bytes"},
		{"bucket_selector", `"` + deep + `"`, "nested deeper than 32 levels"},
		{"bucket_selector", `{"source":"params.n > 1","lang":"mustache"}`, "expression or painless"},
		{"bucket_selector", `{"source":"params.n > 1","lang":"expression"}`, `"params" is neither in`},
		{"bucket_selector", `{"id":"stored"}`, `needs "source"`},
		{"bucket_selector", `{"source":"params.n > 1","options":{}}`, "known options: source, lang, params"},
		{"bucket_selector", `{"source":"params.n > params.a","params":{"a":"5"}}`, "must be a number"},
	} {
		_, err := scriptOf(c.kind, c.script)
		var e *query.Error
		if !errors.As(err, &e) || !strings.Contains(e.Message, c.want) || !strings.HasPrefix(e.Parameter, "aggs.t.aggs.s."+c.kind+".script") {
			t.Errorf("%.80s: got %+v, want %q", c.script, e, c.want)
		}
	}
	for _, c := range []struct{ aggs, want string }{
		{`"s":{"bucket_selector":{"buckets_path":{"n":"_count"},"script":"params.n > 1"}}`, "must be in an aggregation with buckets in an order"},
		{`"t":{"terms":{"field":"F"},"aggs":{"s":{"bucket_selector":{"buckets_path":{"n":"x"},"script":"params.n > 1"}}}}`, `"x" is not a number of a bucket`},
		{`"t":{"terms":{"field":"F"},"aggs":{"s":{"bucket_selector":{"buckets_path":{},"script":"1 > 1"}}}}`, "at least one path"},
		{`"t":{"terms":{"field":"F"},"aggs":{"s":{"bucket_selector":{"buckets_path":{"n":"_count"}}}}}`, `needs "script"`},
		{`"t":{"terms":{"field":"F"},"aggs":{"s":{"bucket_selector":{"script":"1 > 1"}}}}`, `needs "buckets_path"`},
		{`"t":{"terms":{"field":"F"},"aggs":{"s":{"bucket_selector":{"buckets_path":"_count","script":"params._value > 1","format":"0"}}}}`, "known options: buckets_path, script, gap_policy"},
	} {
		if _, err := Parse([]byte(`{"aggs":{` + c.aggs + `}}`)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.aggs, err, c.want)
		}
	}
}

// FuzzScript checks that a script is refused with its place, or computes the same number each time,
// a condition 1 or 0.
func FuzzScript(f *testing.F) {
	for _, script := range []string{
		"return params.n >= 7 && !(params['my-m'] != 2) ;", "-(params.n - .5e1) * 3.0 / params.n", "n > 1 && least / 2", "((1.5)", "params.n > 5 ? 1 : 0",
	} {
		f.Add(script, true, true)
		f.Add(script, false, false)
	}
	f.Fuzz(func(t *testing.T, script string, condition, expression bool) {
		kind, lang := "bucket_script", "painless"
		if condition {
			kind = "bucket_selector"
		}
		if expression {
			lang = "expression"
		}
		text, err := json.Marshal(script)
		if err != nil {
			t.Skip()
		}
		s, err := scriptOf(kind, `{"source":`+string(text)+`,"lang":"`+lang+`","params":{"least":2}}`)
		if err != nil {
			if e, ok := errors.AsType[*query.Error](err); !ok || e.Message == "" {
				t.Fatalf("%q: %v", script, err)
			}
			return
		}
		values := []float64{7, 2}
		got := s.Number(values)
		if again := s.Number(values); again != got && !(math.IsNaN(got) && math.IsNaN(again)) {
			t.Fatalf("%q: %v, then %v", script, got, again)
		}
		if condition && !expression && got != 0 && got != 1 {
			t.Fatalf("%q is %v", script, got)
		}
		if s.Size > len(script) {
			t.Fatalf("%q of %d bytes has size %d", script, len(script), s.Size)
		}
	})
}
