// This file looks after a snapshot while it is being served: its file may be cut or
// overwritten, and disks lose bits.

package snapshot

import (
	"hash/crc32"
	"os"
	"runtime/debug"
	"slices"
	"unsafe"
)

// PieceLen is how many bytes Scrub.Next reads at most.
const PieceLen = 256 << 10

// Scrub compares an open snapshot with its checksums once more, piece by piece. It is not
// safe for concurrent use, but the Reader is meanwhile.
type Scrub struct {
	r       *Reader
	table   bool   // header, table of contents and footer have been compared
	section int    // number of the section that is being read
	at      uint64 // offset in the file of the rest of it; 0: all of it is left
	sum     uint32 // of what was read of it
}

// Scrub begins a pass.
func (r *Reader) Scrub() *Scrub { return &Scrub{r: r} }

// Next compares a piece and returns its length, 0 after the last one. An error says that
// the snapshot is damaged.
func (s *Scrub) Next() (n int, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer Recover(&err)
	if !s.table {
		if err := s.checkTable(); err != nil {
			return 0, err
		}
		s.table = true
	}
	for n < PieceLen && s.section < len(s.r.toc) {
		m, err := s.read(PieceLen - n)
		if n += m; err != nil {
			return n, err
		}
	}
	return n, nil
}

// checkTable reads the parts that are in no section. They have to be those that the
// snapshot was opened with: another whole snapshot in its place is damage too.
func (s *Scrub) checkTable() error {
	now := &Reader{data: s.r.data}
	if err := now.openTable(); err != nil {
		return err
	}
	if !slices.Equal(now.toc, s.r.toc) {
		return bad("table of contents", "it is not the one that was opened")
	}
	return nil
}

// read reads at most n bytes of a section, and compares its checksum at its end.
func (s *Scrub) read(n int) (int, error) {
	e := s.r.toc[s.section]
	from := max(s.at, e.off)
	to := min(from+uint64(n), e.padded())
	s.sum = crc32.Update(s.sum, crcTable, s.r.data[from:to])
	if s.r.unmap != nil {
		page := uint64(os.Getpagesize())
		leave(s.r.data[from&^(page-1) : to])
	}
	if s.at = to; to < e.padded() {
		return int(to - from), nil
	}
	if s.sum != e.crc {
		return int(to - from), bad(kindNames[e.kind], "checksum of section %d is wrong", s.section)
	}
	s.section, s.at, s.sum = s.section+1, 0, 0
	return int(to - from), nil
}

// FaultError is damage that was found because reading memory failed. It wraps a
// CorruptError.
type FaultError struct {
	Addr   uintptr // where it failed
	damage CorruptError
}

// Error is that of the damage.
func (e *FaultError) Error() string { return e.damage.Error() }

// Unwrap is the damage.
func (e *FaultError) Unwrap() error { return &e.damage }

// Holds reports whether an address lies in the mapping: a fault there means that the file
// has become shorter or cannot be read.
func (r *Reader) Holds(addr uintptr) bool {
	begin := uintptr(unsafe.Pointer(unsafe.SliceData(r.data)))
	return addr >= begin && addr-begin < uintptr(len(r.data))
}
