// This file replaces memory files on systems other than Linux, where bodies are sent from the process's memory.

//go:build !linux

package bodies

// Memfiles creates no files.
type Memfiles struct{}

// NewMemfiles returns nil.
func NewMemfiles() *Memfiles { return nil }

// Memfile is always nil.
type Memfile struct{}

// New returns nil.
func (*Memfiles) New([]byte) *Memfile { return nil }

// Cost returns 0.
func (*Memfile) Cost() int64 { return 0 }

// Release does nothing.
func (*Memfile) Release() {}
