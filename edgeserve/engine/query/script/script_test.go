// This file tests scripts by themselves. Package body tests them inside of pipelines, with their errors.

package script

import (
	"strings"
	"testing"
)

// TestScript shows scripts over the numbers n = 7 and my-m = 2, and the constant least = 3.
func TestScript(t *testing.T) {
	for _, c := range []struct {
		name   string
		source Source
		want   float64
	}{
		{"a condition is 1 or 0", Source{Text: "params.n > 5", Condition: true}, 1},
		{"a name in brackets", Source{Text: "params['my-m'] * 2", Condition: false}, 4},
		{"operators bind as in Java", Source{Text: "1 + 2 * params.n - 3", Condition: false}, 12},
		{"a constant", Source{Text: "params.n / params.least", Condition: false}, 7.0 / 3},
		{"names stand alone in an expression", Source{Text: "n > 1 && least / 2", Expression: true}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.source.Names, c.source.Params = []string{"n", "my-m"}, map[string]Constant{"least": {Value: 3, Whole: true}}
			s, err := Parse(c.source)
			if err != nil {
				t.Fatal(err)
			}
			if got := s.Number([]float64{7, 2}); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestScriptErrors(t *testing.T) {
	for _, c := range []struct {
		name   string
		source Source
		want   string
	}{
		{"a name that nothing explains", Source{Text: "params.x"}, `at character 1: "x" is neither in buckets_path nor in the script's params`},
		{"a number where a condition is needed", Source{Text: "1.5", Condition: true}, "it must be a condition like params.n > 5"},
		{"a condition where a number is needed", Source{Text: "1 > 2"}, "it must be a number like params.a / params.b"},
		{"two whole numbers", Source{Text: "1 / 2"}, "a division of two whole numbers drops the fraction"},
		{"a text that is too long", Source{Text: strings.Repeat("1", maxLength+1)}, "it is longer than 1024 bytes"},
		{"parentheses that are too deep", Source{Text: strings.Repeat("(", maxDepth+1)}, "it is nested deeper than 32 levels"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := Parse(c.source); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}
