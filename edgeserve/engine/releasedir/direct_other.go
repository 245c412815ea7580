//go:build !linux

// This file leaves all files to os.Root.

package releasedir

// direct is not a descriptor.
type direct struct{}

// opener opens nothing.
type opener struct{}

func (o *opener) begin(*Dir) {}

func (o *opener) end() {}

func (d *Dir) openAt(name string, cached bool) (f File, regular bool, err error) {
	if cached {
		return File{}, false, ErrWouldWait
	}
	return d.openInRoot(name)
}

// CheckCurrent returns ErrRemoved unless the release's manifest is still there. A build removes it
// before it replaces files, so a file that was opened before this check is the release's.
func (d *Dir) CheckCurrent() error { return d.checkInRoot() }

func (direct) readAt([]byte, int64) (int, error) { return 0, ErrWouldWait }

func (direct) readCached([]byte) error { return ErrWouldWait }

func (direct) close() error { return nil }
