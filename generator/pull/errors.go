// This file has the errors of a pull. They quote only a part of what an origin sent.

package pull

import (
	"fmt"
	"strings"

	"contentedge/edgeserve/exitcode"
)

// UsageError is an invalid Config.
type UsageError struct {
	Option  string // the flag or the argument that is wrong, for example "--env"
	Message string
	Hint    string
}

// Error returns the option, the message and, on its own line, the hint.
func (e *UsageError) Error() string {
	return e.Option + ": " + e.Message + "\n  hint: " + e.Hint
}

// ExitCode says that the command line or the settings are to blame.
func (*UsageError) ExitCode() int { return exitcode.Usage }

// OriginError is an origin that did not answer, or not as the interface says.
type OriginError struct {
	Address string // of the request; "" if the error is of several
	Message string
	Hint    string // may be empty
	Err     error  // what failed; may be nil
}

// Error returns the address, the message and, on its own line, the hint.
func (e *OriginError) Error() string {
	text := e.Message
	if e.Address != "" {
		text = e.Address + ": " + text
	}
	if e.Hint != "" {
		text += "\n  hint: " + e.Hint
	}
	return text
}

// Unwrap returns what failed.
func (e *OriginError) Unwrap() error { return e.Err }

// Fault is an item that cannot be in a mirror.
type Fault struct {
	ID      string `json:"id,omitempty"` // "" without an id
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// String returns the id and the message and, on its own line, the hint.
func (f Fault) String() string {
	text := f.Message
	if f.ID != "" {
		text = f.ID + ": " + text
	}
	if f.Hint != "" {
		text += "\n  hint: " + f.Hint
	}
	return text
}

// RefusedError is content of an origin that a build would refuse, or that no mirror may replace. The
// mirror is unchanged.
type RefusedError struct {
	Address string // of the environment
	Faults  []Fault
	More    int // faults that are not listed
}

// Error returns the address, then a line for each fault.
func (e *RefusedError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: the mirror is unchanged", e.Address)
	for _, f := range e.Faults {
		b.WriteString("\n" + f.String())
	}
	if e.More > 0 {
		fmt.Fprintf(&b, "\n%d more", e.More)
	}
	return b.String()
}

// Refused says what is refused.
func (*RefusedError) Refused() string { return "the content of the origin is wrong" }

// LockedError is a folder that another pull writes to.
type LockedError struct{ Dir string }

// Error names the folder.
func (e *LockedError) Error() string {
	return "another pull writes to " + e.Dir + "; wait for it to end"
}
