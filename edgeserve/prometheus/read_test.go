package prometheus

import (
	"reflect"
	"testing"
)

// What Text writes is read back, also odd values of labels.
func TestRead(t *testing.T) {
	var text Text
	text.Family("a_total", "counter", "Help with\na line end.")
	text.Uint(3, "x", "1", "y", "two\n\\ \"quoted\", {odd}=\" 5")
	text.Uint(4, "x", "2", "y", "")
	text.Family("b", "histogram", "B.")
	text.Suffixed("_bucket").Uint(7, "le", "+Inf")
	text.Suffixed("_sum").Float(0.25)
	got := Read(text.Bytes())
	want := Samples{
		{"a_total", []string{"x", "1", "y", "two\n\\ \"quoted\", {odd}=\" 5"}, 3},
		{"a_total", []string{"x", "2", "y", ""}, 4},
		{"b_bucket", []string{"le", "+Inf"}, 7},
		{"b_sum", nil, 0.25},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	if n := got.Named("a_total"); len(n) != 2 || n[0].Label("y") != "two\n\\ \"quoted\", {odd}=\" 5" || n[0].Label("z") != "" {
		t.Errorf("%+v", n)
	}
}
