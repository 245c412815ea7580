// This file reports all that is wrong with a release, not only the first fault.

package releasedir

import (
	"errors"
	"fmt"
)

// faults are several faults of a release. As a text it is the first one with the number of others:
// there may be one for each environment.
type faults []error

// Join returns an error for the faults of a release, skipping nil, or nil without faults.
func Join(errs ...error) error {
	var all faults
	for _, err := range errs {
		if err != nil {
			all = append(all, err)
		}
	}
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	}
	return all
}

// Error implements error.
func (f faults) Error() string {
	more := "problems"
	if len(f) == 2 {
		more = "problem"
	}
	return fmt.Sprintf("%v (and %d more %s)", f[0], len(f)-1, more)
}

// Unwrap returns the faults.
func (f faults) Unwrap() []error { return f }

const (
	maxProblems = 100     // for a person to read
	maxProblem  = 1 << 10 // bytes of the text of one
)

// Problems returns the faults that an error of this package or of package generation is made of, a
// text for each, within bounds. Another error is one problem.
func Problems(err error) (texts []string) {
	if err == nil {
		return nil
	}
	all := faults{err}
	_ = errors.As(err, &all)
	for i, fault := range all {
		if i == maxProblems {
			return append(texts, fmt.Sprintf("and %d more", len(all)-i))
		}
		text := fault.Error()
		texts = append(texts, text[:min(len(text), maxProblem)])
	}
	return texts
}
