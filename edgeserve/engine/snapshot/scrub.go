// This file checks a served snapshot: files get truncated or overwritten, and disks lose bits.

package snapshot

import (
	"hash/crc32"
	"os"
	"reflect"
	"runtime/debug"
	"slices"
)

// PieceLen is the greatest number of bytes that Scrub.Next reads.
const PieceLen = 256 << 10

// Scrub compares an open snapshot with its checksums, piece by piece. A Scrub is not safe
// for concurrent use, but other goroutines may use the Reader.
type Scrub struct {
	r         *Reader
	tableDone bool   // header, table of contents and footer are done
	section   int    // current section
	offset    uint64 // file offset of the unread rest of the section; 0 if not started
	sum       uint32 // checksum of the part that was read
}

// Scrub starts a pass over the snapshot.
func (r *Reader) Scrub() *Scrub { return &Scrub{r: r} }

// Next compares a piece and returns its length, 0 after the last. An error means damage.
func (s *Scrub) Next() (n int, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer Recover(&err)
	if !s.tableDone {
		if err := s.checkTable(); err != nil {
			return 0, err
		}
		s.tableDone = true
	}
	for n < PieceLen && s.section < len(s.r.toc) {
		m, err := s.read(PieceLen - n)
		if n += m; err != nil {
			return n, err
		}
	}
	return n, nil
}

// checkTable compares header, table and footer with those at Open: another snapshot is damage too.
func (s *Scrub) checkTable() error {
	now := &Reader{data: s.r.data}
	if err := now.openTable(); err != nil {
		return err
	}
	if !slices.Equal(now.toc, s.r.toc) {
		return corrupt("table of contents", "it is not the one that was opened")
	}
	return nil
}

// read reads at most n bytes of a section. At the section's end it compares the checksum.
func (s *Scrub) read(n int) (int, error) {
	e := s.r.toc[s.section]
	from := max(s.offset, e.off)
	to := min(from+uint64(n), e.padded())
	s.sum = crc32.Update(s.sum, crcTable, s.r.data[from:to])
	if s.r.unmap != nil {
		page := uint64(os.Getpagesize())
		adviseDontNeed(s.r.data[from&^(page-1) : to])
	}
	if s.offset = to; to < e.padded() {
		return int(to - from), nil
	}
	if s.sum != e.crc {
		return int(to - from), corrupt(kindNames[e.kind], "checksum of section %d is wrong", s.section)
	}
	s.section, s.offset, s.sum = s.section+1, 0, 0
	return int(to - from), nil
}

// FaultError reports damage that a memory fault revealed. It wraps a CorruptError.
type FaultError struct {
	Addr   uintptr // the address that faulted
	damage CorruptError
}

// Error returns the message of the damage.
func (e *FaultError) Error() string { return e.damage.Error() }

// Unwrap returns the CorruptError.
func (e *FaultError) Unwrap() error { return &e.damage }

// Contains reports whether r maps addr. A fault there means a truncated or unreadable file.
func (r *Reader) Contains(addr uintptr) bool {
	begin := reflect.ValueOf(r.data).Pointer()
	return addr >= begin && addr-begin < uintptr(len(r.data))
}
