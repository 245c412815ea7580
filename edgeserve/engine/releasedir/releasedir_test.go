package releasedir

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
)

// TestReleaseDir joins faults: the text has the first and counts the others, and each can be listed.
func TestReleaseDir(t *testing.T) {
	first, second := fmt.Errorf("snapshots/a: %w", fs.ErrNotExist), errors.New("snapshots/b: cut")
	for _, c := range []struct {
		name string
		errs []error
		text string
		list []string
	}{
		{"none", []error{nil, nil}, "<nil>", nil},
		{"one", []error{nil, second}, "snapshots/b: cut", []string{"snapshots/b: cut"}},
		{"two", []error{first, nil, second}, "snapshots/a: file does not exist (and 1 more problem)", []string{"snapshots/a: file does not exist", "snapshots/b: cut"}},
		{"three", []error{second, first, second}, "snapshots/b: cut (and 2 more problems)", []string{"snapshots/b: cut", "snapshots/a: file does not exist", "snapshots/b: cut"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := Join(c.errs...)
			if got := fmt.Sprint(err); got != c.text {
				t.Errorf("%q, want %q", got, c.text)
			}
			if err == nil {
				return
			}
			wrapped := fmt.Errorf("release x: %w", err)
			want := c.list
			if len(want) == 1 {
				want = []string{"release x: " + want[0]} // the one error, with its place
			}
			if got := Problems(wrapped); !slices.Equal(got, want) {
				t.Errorf("%q, want %q", got, want)
			}
			if slices.Contains(c.errs, first) && !errors.Is(wrapped, fs.ErrNotExist) {
				t.Error("the cause is lost")
			}
		})
	}
}

// However many faults there are, and however long their texts, the list is bounded.
func TestProblemsAreBounded(t *testing.T) {
	errs := slices.Repeat([]error{errors.New(strings.Repeat("x", 1<<20))}, 100_000)
	got := Problems(Join(errs...))
	if len(got) != maxProblems+1 || len(got[0]) != maxProblem || got[maxProblems] != "and 99900 more" {
		t.Errorf("%d problems, the first of %d bytes, the last %q", len(got), len(got[0]), got[len(got)-1])
	}
	if Problems(nil) != nil {
		t.Error("no error has problems")
	}
}

// Many small snapshots are counted together: a pause for each section of each would cost more than the rest.
func TestPausesFollowBytes(t *testing.T) {
	pauses := 0
	read := everyMegabyte(func() { pauses++ })
	for range 1000 {
		read(10 << 10)
	}
	if pauses != 9 { // of 9.8 megabytes
		t.Errorf("%d pauses after 9.8 megabytes", pauses)
	}
	everyMegabyte(nil)(1 << 30)
}
