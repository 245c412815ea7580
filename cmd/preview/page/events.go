// This file keeps the last events in one list: a client costs no memory and delays no other.

package page

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/goccy/go-json"
)

const (
	eventState    = "state"    // the first of a new client
	eventReset    = "reset"    // the first of a client that missed events
	eventBuilding = "building" // a build has begun
	eventBuilt    = "built"
	eventFailed   = "failed"
	eventView     = "view"    // a build with another view will begin
	eventRefused  = "refused" // a page of another origin may not read responses
)

// Bounds of the events that are kept for clients that come back: some hundred builds make as many. Builds
// that fail with long messages make long events.
const (
	maxKept      = 256
	maxKeptBytes = 8 << 20
)

// events are the last events. Page.mu guards them.
type events struct {
	process string        // tells the events of this process from events of another
	last    int           // the number of the newest event; the first is 1
	kept    [][]byte      // the last events as they are sent, the newest at the end
	bytes   int           // of kept
	changed chan struct{} // closed when there is a newer event
	streams int           // clients that follow
}

// id returns what a client sends back to continue after event n.
func (e *events) id(n int) string { return e.process + "-" + strconv.Itoa(n) }

func (e *events) add(name string, data any) {
	e.last++
	event := encodeEvent(e.id(e.last), name, data)
	e.kept, e.bytes = append(e.kept, event), e.bytes+len(event)
	for len(e.kept) > maxKept || e.bytes > maxKeptBytes && len(e.kept) > 1 {
		e.bytes -= len(e.kept[0])
		e.kept[0] = nil
		e.kept = e.kept[1:]
	}
	close(e.changed)
	e.changed = make(chan struct{})
}

// after returns the first event after number n. missed reports that it is no longer kept.
func (e *events) after(n int) (event []byte, missed bool) {
	first := e.last - len(e.kept) + 1
	switch {
	case n >= e.last:
		return nil, false
	case n+1 < first:
		return nil, true
	}
	return e.kept[n+1-first], false
}

// number parses the id of the last event that a client got. ok is false if the event belongs to another process,
// or if the next event is no longer kept.
func (e *events) number(id string) (n int, ok bool) {
	process, digits, _ := strings.Cut(id, "-")
	n, err := strconv.Atoi(digits)
	if err != nil || process != e.process || n < 0 || n > e.last {
		return 0, false
	}
	_, missed := e.after(n)
	return n, !missed
}

// encodeEvent makes one line of data: JSON has no line ends.
func encodeEvent(id, name string, data any) []byte {
	body, err := json.Marshal(data)
	if err != nil {
		panic(err) // all values are our own
	}
	return fmt.Appendf(nil, "id: %s\nevent: %s\ndata: %s\n\n", id, name, body)
}
