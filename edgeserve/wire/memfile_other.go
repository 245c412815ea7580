//go:build !linux

package wire

// Memfiles makes no files: bodies are sent from the process's memory.
type Memfiles struct{}

// NewMemfiles is for systems that send from files in memory.
func NewMemfiles() *Memfiles { return nil }

// Memfile is always nil.
type Memfile struct{}

// New is always nil.
func (*Memfiles) New([]byte) *Memfile { return nil }

// Cost is always 0.
func (*Memfile) Cost() int64 { return 0 }

// Release does nothing.
func (*Memfile) Release() {}
