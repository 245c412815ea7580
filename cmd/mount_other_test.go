//go:build !linux

package cmd

import "errors"

// Tests that mount something skip on other systems than Linux.
const bind, remount = 0, 0

func mountAt(_, _, _ string, _ uintptr, _ string) error { return errors.ErrUnsupported }

func unmount(string) error { return errors.ErrUnsupported }
