// This file plays scripts of faults: written ones, and random ones that a seed repeats and that shrink to
// the steps that matter.

package pulltest

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Step is a fault at some requests, counted from 1 since Play.
type Step struct {
	From, To int
	Fault    Fault
}

// At is a fault at one request.
func At(n int, f Fault) Step { return Step{n, n, f} }

// Always is a fault at every request.
func Always(f Fault) Step { return From(1, f) }

// From is a fault at a request and all later ones.
func From(n int, f Fault) Step { return Step{n, 1 << 30, f} }

// Play replaces the script and counts requests from 1 again. Without steps the origin is healthy.
func (o *Origin) Play(steps ...Step) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.script, o.count, o.log = steps, 0, nil
}

// Script is a list of steps that prints itself.
type Script []Step

// String lists the steps, one a line.
func (s Script) String() string {
	var b strings.Builder
	for _, step := range s {
		fmt.Fprintf(&b, "requests %d to %d: %s\n", step.From, step.To, step.Fault.Name)
	}
	return b.String()
}

// length is how many requests a random script reaches: two walks of some pages with their indexes.
const length = 16

// Random returns a script of one to six faults, and of changes of the content between requests. Items
// have the numbers 0 to items-1.
func Random(rnd *rand.Rand, items int) Script {
	var s Script
	for range 1 + rnd.IntN(6) {
		at := 1 + rnd.IntN(length)
		step := At(at, randomFault(rnd, items))
		if rnd.IntN(4) == 0 {
			step.To = at + rnd.IntN(6)
		}
		s = append(s, step)
	}
	slices.SortStableFunc(s, func(a, b Step) int { return a.From - b.From })
	return s
}

func randomFault(rnd *rand.Rand, items int) Fault {
	all := []func() Fault{
		func() Fault { return Status(http.StatusInternalServerError) },
		func() Fault { return Status(http.StatusServiceUnavailable, "Retry-After", "1") },
		func() Fault { return Busy([]string{"", "2", "86400", "-1", "abc"}[rnd.IntN(5)]) },
		func() Fault { return BusyUntil(3 * time.Second) },
		Empty, EmptyPage, ShortLast, CutAtToken, Stall, Drop, OtherNode, Stale, Unstable,
		func() Fault { return Cut(rnd.IntN(2) == 0) },
		func() Fault { return Body("a login page", "text/html", "<!doctype html><title>Login</title>") },
		func() Fault { return Body("JSON of another shape", "application/json", `{"items":[]}`) },
		func() Fault { return Total("off by one", func(n string) string { return n + "1" }) },
		func() Fault { return TooBig(1+rnd.IntN(items), http.StatusRequestEntityTooLarge) },
		func() Fault { return Redirect("http://other.example{path}") },
		func() Fault { return Edit(rnd.IntN(items), fmt.Sprint("text ", rnd.IntN(1000))) },
		func() Fault { return Edit(rnd.IntN(items), fmt.Sprint("text ", rnd.IntN(1000))) },
		func() Fault { return Create(items + rnd.IntN(1000)) },
		func() Fault { return Remove(rnd.IntN(items)) },
		func() Fault {
			k, new := rnd.IntN(items), items+rnd.IntN(1000)
			return Then(fmt.Sprintf("then a removal of %d and a creation of %d", k, new), func(o *Origin) { Remove(k).After(o); Create(new).After(o) })
		},
	}
	return all[rnd.IntN(len(all))]()
}

// Shrink drops steps while fails still reports a failure, and returns the shortest script found.
func Shrink(s Script, fails func(Script) bool) Script {
	for again := true; again; {
		again = false
		for n := range s {
			if shorter := slices.Delete(slices.Clone(s), n, n+1); fails(shorter) {
				s, again = shorter, true
				break
			}
		}
	}
	return s
}
