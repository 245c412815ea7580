// This file decides whose turn it is. Turns go round the largest networks first, then round the networks and clients in
// each: one sender with many networks delays others as little as one with a single address.

package clientnet

import "iter"

// Turns counts what clients have now, and orders waiting clients. Its zero value is ready to use.
type Turns struct {
	Counts
	events uint64 // arrivals and returns so far
}

// Place is a client that waits.
type Place struct {
	Client
	since [Levels]uint64 // the event that began the wait of each network of the client: its arrival or a return
}

// Arrive returns the place of a client that begins to wait.
func (t *Turns) Arrive(c Client) Place {
	t.events++
	return Place{c, [Levels]uint64{t.events, t.events, t.events}}
}

// Return ends what a client has had, after which its networks wait again.
func (t *Turns) Return(c Client, waiting iter.Seq[*Place]) {
	t.Add(c, -1)
	t.events++
	for p := range waiting {
		for level := range p.since {
			if p.Network(level) == c.Network(level) {
				p.since[level] = t.events
			}
		}
	}
}

// IsBefore reports whether it is the turn of a rather than of b, which did not arrive after a. The one that has less is
// first, and then the one that has waited longer.
func (t *Turns) IsBefore(a, b *Place) bool {
	if n := t.Compare(a.Client, b.Client); n != 0 {
		return n < 0
	}
	level := divide(a.Client, b.Client)
	return level >= 0 && a.since[level] < b.since[level]
}
