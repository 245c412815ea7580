// These tests show who sees an item, and when that changes.

package visibility

import (
	"math/rand/v2"
	"testing"
)

// TestJudge shows which rule leaves an item out, and which flag lifts that rule.
func TestJudge(t *testing.T) {
	const at = 1000
	public := Item{Published, Always, Never}
	tests := []struct {
		name  string
		rules Rules
		item  Item
		want  Reason
	}{
		{"a published item", Rules{}, public, Shown},
		{"a draft", Rules{}, Item{"Draft", Always, Never}, OtherStatus},
		{"a word that nobody knows", Rules{}, Item{"Publishd", Always, Never}, OtherStatus},
		{"no status", Rules{}, Item{"", Always, Never}, OtherStatus},
		{"another case", Rules{}, Item{"published", Always, Never}, OtherStatus},
		{"a draft that is asked for", Rules{Statuses: []string{"Draft"}}, Item{"Draft", Always, Never}, Shown},
		{"what is public, while only drafts are asked for", Rules{Statuses: []string{"Draft"}}, public, OtherStatus},
		{"all statuses", Rules{Statuses: []string{"all"}}, Item{"Draft", Always, Never}, Shown},
		{"published at this moment", Rules{}, Item{Published, at, Never}, Shown},
		{"published a moment later", Rules{}, Item{Published, at + 1, Never}, NotYetVisible},
		{"scheduled, and asked for", Rules{Scheduled: true}, Item{Published, at + 1, Never}, Shown},
		{"expired at this moment", Rules{}, Item{Published, Always, at}, NoLongerShown},
		{"expires a moment later", Rules{}, Item{Published, Always, at + 1}, Shown},
		{"expired, and asked for", Rules{Expired: true}, Item{Published, Always, at}, Shown},
		{"all statuses, before the time of publication", Rules{Statuses: []string{"all"}}, Item{"Draft", at + 1, Never}, NotYetVisible},
		{"--scheduled does not bring back an expired item", Rules{Scheduled: true}, Item{Published, at - 2, at - 1}, NoLongerShown},
		{"a draft that has expired is left out by its status", Rules{}, Item{"Draft", Always, at}, OtherStatus},
		{"everything", Everything(), Item{"", at + 1, at}, Shown},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.rules.Judge(tt.item, at); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
			if got := Visible(tt.item, &tt.rules, at); got != (tt.want == Shown) {
				t.Errorf("Visible is %t", got)
			}
		})
	}
}

func TestReasons(t *testing.T) {
	for reason, want := range map[Reason]string{
		Shown: " ", OtherStatus: "status Status", NotYetVisible: "scheduled PublishedAt", NoLongerShown: "expired ExpiresAt",
	} {
		if got := reason.String() + " " + reason.Field(); got != want {
			t.Errorf("%d: %q, want %q", reason, got, want)
		}
	}
}

// TestInterval holds, for random items and rules, that the interval around a time is the longest one in which each
// item stays as it is, and that Next counts what changes at its end.
func TestInterval(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	const last = 12
	for range 3000 {
		rules := Rules{Scheduled: rnd.IntN(4) == 0, Expired: rnd.IntN(4) == 0}
		var items []Item
		for range rnd.IntN(4) {
			it := Item{[]string{Published, "Draft"}[rnd.IntN(2)], Always, Never}
			if rnd.IntN(2) == 0 {
				it.PublishedAt = rnd.Int64N(last)
			}
			if rnd.IntN(2) == 0 {
				it.ExpiresAt = rnd.Int64N(last)
			}
			items = append(items, it)
		}
		at := rnd.Int64N(last)
		got := Open()
		for _, it := range items {
			got.Note(&rules, it, at)
		}
		seen := func(at int64) (all string, n int) {
			for _, it := range items {
				visible := Visible(it, &rules, at)
				all += map[bool]string{true: "x", false: "-"}[visible]
				if visible {
					n++
				}
			}
			return all, n
		}
		now, _ := seen(at)
		for other := int64(-1); other <= last; other++ {
			then, _ := seen(other)
			if got.Holds(other) && then != now {
				t.Fatalf("%+v at %d: the interval %+v has %d, when %s is %s", items, at, got, other, now, then)
			}
		}
		if got.Until != Never {
			before, _ := seen(got.Until - 1)
			after, _ := seen(got.Until)
			change := Change{}
			for i := range before {
				if before[i] != after[i] {
					change.add(map[bool]Change{true: {Appear: 1}, false: {Vanish: 1}}[after[i] == 'x'])
				}
			}
			if before == after || change != got.Next {
				t.Fatalf("%+v at %d: the interval ends at %d with %+v, but %s is %s then", items, at, got.Until, got.Next, before, after)
			}
		}
		if got.From != Always {
			before, _ := seen(got.From - 1)
			after, _ := seen(got.From)
			if before == after {
				t.Fatalf("%+v at %d: the interval begins at %d without a change", items, at, got.From)
			}
		}
	}
}

// TestMeet shows the interval that two environments share.
func TestMeet(t *testing.T) {
	tests := []struct {
		name       string
		a, b, want Interval
		empty      bool
	}{
		{"open ones", Open(), Open(), Open(), false},
		{"one within the other", Interval{1, 9, Change{Appear: 1}}, Interval{3, 5, Change{Vanish: 2}}, Interval{3, 5, Change{Vanish: 2}}, false},
		{"the same end", Interval{1, 9, Change{Appear: 1}}, Interval{3, 9, Change{Appear: 1, Vanish: 2}}, Interval{3, 9, Change{2, 2}}, false},
		{"disjoint ones", Interval{From: 1, Until: 3}, Interval{From: 3, Until: 9}, Interval{From: 3, Until: 3}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.a.Meet(tt.b); got != tt.want || got.Empty() != tt.empty {
				t.Errorf("got %+v", got)
			}
			if got := tt.b.Meet(tt.a); got != tt.want {
				t.Errorf("the other way round: %+v", got)
			}
		})
	}
}
