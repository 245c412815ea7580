package release

import "testing"

// TestInterval shows which intervals two intervals share, and which ones a manifest may have.
func TestInterval(t *testing.T) {
	const a, b, c = "2026-01-01T00:00:00.000Z", "2026-06-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z"
	tests := []struct {
		name      string
		one, more Interval
		want      Interval
		empty     bool
	}{
		{"no ends", Interval{}, Interval{}, Interval{}, false},
		{"an end", Interval{}, Interval{a, c}, Interval{a, c}, false},
		{"overlapping ones", Interval{a, c}, Interval{From: b}, Interval{b, c}, false},
		{"one that ends first", Interval{a, c}, Interval{Until: b}, Interval{a, b}, false},
		{"disjoint ones", Interval{a, b}, Interval{From: c}, Interval{c, b}, true},
		{"one that begins where the other ends", Interval{a, b}, Interval{b, c}, Interval{b, b}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, got := range []Interval{tt.one.Meet(tt.more), tt.more.Meet(tt.one)} {
				if got != tt.want || got.Empty() != tt.empty || (got.check() != nil) != tt.empty {
					t.Errorf("got %+v, %v", got, got.check())
				}
			}
			if from, until := tt.one.Ends(); NewInterval(from, until) != tt.one {
				t.Errorf("%+v has the ends of %+v", tt.one, NewInterval(from, until))
			}
		})
	}
	for _, bad := range []Interval{{From: "now"}, {From: "2026-01-01T00:00:00Z"}, {Until: "2026-01-01T01:00:00.000+01:00"}, {From: "2026-02-30T00:00:00.000Z"}} {
		if bad.check() == nil {
			t.Errorf("%+v passes", bad)
		}
	}
}
