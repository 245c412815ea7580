// Package exitcode gives errors the status with which a command ends. Errors have a method for it, so that a
// command need not know their types.
package exitcode

import "errors"

// Statuses of commands.
const (
	OK      = 0
	Machine = 1   // the machine, the network or a store is to blame
	Content = 2   // what the command was given is refused
	Usage   = 3   // the command line or the settings are to blame
	Signal  = 128 // plus the signal's number
)

// A refusal says in a few words what is refused.
type refusal interface {
	error
	Refused() string
}

// A coder has a status of its own.
type coder interface {
	error
	ExitCode() int
}

// Of returns the status of an error, or OK for nil.
func Of(err error) int {
	if err == nil {
		return OK
	}
	if c, ok := errors.AsType[coder](err); ok {
		return c.ExitCode()
	}
	if Refused(err) != "" {
		return Content
	}
	return Machine
}

// Refused returns what is refused, or "" if the error is not a refusal.
func Refused(err error) string {
	if r, ok := errors.AsType[refusal](err); ok {
		return r.Refused()
	}
	return ""
}

type usageError struct{ message string }

func (e *usageError) Error() string { return e.message }
func (e *usageError) ExitCode() int { return Usage }

// NewUsage returns an error to compare with, for which the command line or the settings are to blame.
func NewUsage(message string) error { return &usageError{message} }

type refused struct{ message, what string }

func (e *refused) Error() string   { return e.message }
func (e *refused) Refused() string { return e.what }

// NewRefusal returns an error to compare with, for something that is refused.
func NewRefusal(message, what string) error { return &refused{message, what} }
