// This file is for systems without unnamed files.

//go:build !linux

package spill

import (
	"errors"
	"os"
)

// nameless fails: here every file begins with a name.
func nameless(string) (*os.File, error) { return nil, errors.ErrUnsupported }
