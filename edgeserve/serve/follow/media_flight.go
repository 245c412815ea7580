// This file sends a media file while it is fetched. All requests for the file share one fetch. Its bytes go into a file
// if the disk has room, otherwise into a window in memory, which moves on with the slowest client. A full or broken disk
// is therefore no outage. The last bytes of each response wait until the digest of the whole file is right: what a client
// gets whole is the file of the name, and a wrong file ends the connection early.

package follow

import (
	"context"
	"crypto/sha256"
	"errors"
	"hash"
	"math"
	"os"
	"sync"
	"time"

	"contentedge/edgeserve/crash"
)

const (
	// mediaWindow is the memory of a file that the disk has no room for, in bytes. With mediaJobs fetches at a time this
	// is 8 MiB.
	mediaWindow = 1 << 20
	// mediaHeld is how many bytes at the end of a response wait for the digest. A file that is not longer is sent after
	// it was verified.
	mediaHeld = 64 << 10
	// maxTails bounds the parts of a file in memory that wait for the digest of the file, each with a copy of mediaHeld bytes.
	maxTails = 16
	// slowClient is how long the window of a file may be full until the slowest client is cut. It allows mediaHeld bytes
	// in this time.
	slowClient = 10 * time.Second
)

var (
	errNobody     = errors.New("no client waits for the file now, and the disk has no room for it")
	errSlowClient = errors.New("the client is slower than the others that a media file in memory is sent to")
	errPassed     = errors.New("these bytes of a media file in memory were dropped")
)

// flight is the fetch of a media file.
type flight struct {
	epoch  int           // of the cache, when the flight began
	ready  chan struct{} // closed once readers may begin, or err is valid
	cancel context.CancelCauseFunc
	digest hash.Hash

	mu       sync.Mutex // guards what follows
	changed  sync.Cond
	size     int64    // of the whole file; -1 while the store has not said it
	written  int64    // bytes that have arrived
	file     *os.File // has the first bytes; nil without room on the disk
	unstored error    // why file has not all bytes
	stored   int64    // bytes in file
	window   []byte   // the bytes from base to written, unless all are stored
	base     int64
	isReady  bool
	verified bool // the digest is right
	landed   bool // the fetch has ended
	err      error
	users    int // requests that wait or read
	readers  map[*mediaReader]struct{}
	tails    int // copies of readers
}

func newFlight(epoch int) *flight {
	f := &flight{epoch: epoch, ready: make(chan struct{}), cancel: func(error) {}, digest: sha256.New(), size: -1, readers: map[*mediaReader]struct{}{}}
	f.changed.L = &f.mu
	return f
}

// begin begins with the bytes of an object, in a file if why is nil. No byte of an earlier object was sent.
func (f *flight) begin(file *os.File, why error, size int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.digest.Reset()
	f.file, f.unstored, f.size, f.written, f.stored, f.base, f.window = file, why, size, 0, 0, 0, f.window[:0]
	if size > mediaHeld {
		f.open()
	}
}

// open lets readers begin. The caller holds mu.
func (f *flight) open() {
	if !f.isReady {
		f.isReady = true
		close(f.ready)
	}
}

// isStored reports whether the file has all bytes that have arrived.
func (f *flight) isStored() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.stores() && f.unstored == nil
}

// stores is isStored with mu held.
func (f *flight) stores() bool { return f.file != nil && f.stored == f.written }

// join counts one more request. It returns false if bytes of the file were dropped, or the flight has landed.
func (f *flight) join() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.landed || f.base > f.stored {
		return false
	}
	f.users++
	return true
}

// leave ends a join. The fetch ends if no reader waits for bytes that are not stored.
func (f *flight) leave(r *mediaReader) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.readers, r)
	if r == nil || !r.cut {
		f.users--
	}
	if r != nil && r.copies {
		f.tails--
	}
	if f.users == 0 && f.isReady && !f.stores() {
		f.cancel(errNobody)
	}
	f.closeUnused()
	f.changed.Broadcast()
}

// abandon closes the file of an object that is not the right one, if another object may follow. It reports whether it may.
func (f *flight) abandon() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.isReady {
		return false
	}
	if f.file != nil {
		_ = f.file.Close()
		f.file = nil
	}
	return true
}

// closeUnused closes the file after the last reader. The caller holds mu.
func (f *flight) closeUnused() {
	if f.landed && f.users == 0 && f.file != nil {
		_ = f.file.Close()
		f.file = nil
	}
}

// read returns a reader of the file for a request that has joined. done is called with the error of the response.
func (f *flight) read(done func(err error)) (*mediaReader, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return nil, f.err
	}
	r := &mediaReader{f: f, end: f.size, done: done}
	f.readers[r] = struct{}{}
	return r, nil
}

// land ends the flight.
func (f *flight) land(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.landed, f.err = true, err
	f.closeUnused()
	f.open()
	f.changed.Broadcast()
}

// reject notes that the file was not stored after all.
func (f *flight) reject(why error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.unstored = why
}

// verify lets readers have the end of the file. Readers of a short file begin once the directory has it.
func (f *flight) verify() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.verified, f.size = true, f.written
	if !f.stores() {
		f.open()
	}
	f.changed.Broadcast()
}

// Write takes bytes of the file. It waits for readers only if the disk does not take them.
func (f *flight) Write(p []byte) (n int, err error) {
	_, _ = f.digest.Write(p)
	if f.isStored() {
		n, err = f.file.Write(p)
		f.mu.Lock()
		f.stored, f.unstored = f.stored+int64(n), err
		f.written, f.base = f.stored, f.stored
		f.changed.Broadcast()
		f.mu.Unlock()
	}
	for n < len(p) {
		taken, err := f.keep(p[n:])
		if n += taken; err != nil {
			return n, err
		}
	}
	return n, nil
}

// keep takes bytes into the window, as many as it has room for.
func (f *flight) keep(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.makeRoom(); err != nil {
		return 0, err
	}
	p = p[:min(len(p), mediaWindow-len(f.window))]
	f.window = append(f.window, p...)
	f.written += int64(len(p))
	f.changed.Broadcast()
	return len(p), nil
}

// makeRoom waits until the window has room. The caller holds mu.
func (f *flight) makeRoom() error {
	var until time.Time
	for len(f.window) == mediaWindow {
		if f.slide() {
			return nil
		}
		switch now := time.Now(); {
		case f.users == 0 || f.size < 0: // a file of unknown length is sent when it is whole
			return errNobody
		case until.IsZero():
			until = now.Add(slowClient)
			wake := time.AfterFunc(slowClient, crash.Guarded(f.changed.Broadcast))
			defer wake.Stop()
		case !now.Before(until):
			f.cutSlowest()
			continue
		}
		f.changed.Wait()
	}
	return nil
}

// slide drops the bytes that all readers have, if there are at least mediaHeld. The caller holds mu.
func (f *flight) slide() bool {
	if f.users > len(f.readers) { // one has not begun
		return false
	}
	lowest := f.written
	for r := range f.readers {
		lowest = min(lowest, max(r.at, f.base))
	}
	drop := lowest - f.base
	if drop < mediaHeld || len(f.readers) == 0 {
		return false
	}
	f.window = f.window[:copy(f.window, f.window[drop:])]
	f.base = lowest
	return true
}

// cutSlowest ends the responses that hold the window back. The caller holds mu.
func (f *flight) cutSlowest() {
	for r := range f.readers {
		if r.at < f.base+mediaHeld {
			r.cut = true
			delete(f.readers, r)
			f.users--
		}
	}
	f.changed.Broadcast()
}

// mediaReader reads a file that is being fetched, for one response. It is not for concurrent use.
type mediaReader struct {
	f    *flight
	end  int64  // of the part that is sent
	tail []byte // a copy of the last bytes of the part; nil if the flight has them
	done func(err error)
	err  error // the last one of ReadAt

	// Guarded by f.mu.
	at     int64 // offset of the next byte to read
	cut    bool  // it was too slow, and is forgotten
	copies bool  // it counts in f.tails
}

// Until says where the part that is sent ends, before the first byte is read.
func (r *mediaReader) Until(end int64) { r.end = end }

// ReadAt waits for the bytes. The bytes at the end of the part wait for the digest.
func (r *mediaReader) ReadAt(p []byte, off int64) (n int, err error) {
	defer func() { r.err = err }()
	p = p[:max(min(int64(len(p)), r.end-off), 0)]
	held := max(r.end-mediaHeld, 0)
	if off < held {
		if n, err = r.f.copy(r, p[:min(int64(len(p)), held-off)], off); err != nil {
			return n, err
		}
	}
	if n == len(p) {
		return n, nil
	}
	if err := r.hold(held); err != nil {
		return n, err
	}
	if off += int64(n); r.tail != nil {
		return n + copy(p[n:], r.tail[off-held:]), nil
	}
	read, err := r.f.copy(r, p[n:], off)
	return n + read, err
}

// hold waits for the last bytes of the part and for the digest. Write need not wait for the reader meanwhile: the file
// or the window has the bytes, or the reader copies them.
func (r *mediaReader) hold(held int64) error {
	f := r.f
	copies, err := f.arrived(r, held)
	if err != nil {
		return err
	}
	if copies {
		tail := make([]byte, r.end-held)
		if _, err := f.copy(r, tail, held); err != nil {
			return err
		}
		r.tail = tail
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if r.tail != nil || r.end <= f.stored {
		f.reach(r, math.MaxInt64)
	}
	for !f.verified && f.err == nil && !r.cut {
		f.changed.Wait()
	}
	if r.cut {
		return errSlowClient
	}
	return f.err
}

// arrived waits for the last bytes of a part, and reports whether the reader has to copy them.
func (f *flight) arrived(r *mediaReader, held int64) (copies bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reach(r, held)
	for f.written < r.end && f.err == nil && !r.cut {
		f.changed.Wait()
	}
	switch {
	case r.cut:
		return false, errSlowClient
	case f.written < r.end:
		return false, f.err
	case f.verified || r.tail != nil || r.end <= f.stored || r.end == f.size:
		return false, nil
	case f.tails == maxTails:
		return false, errCrowded
	}
	f.tails++
	r.copies = true
	return true, nil
}

// Close ends the response.
func (r *mediaReader) Close() error {
	r.f.leave(r)
	r.done(r.err)
	return nil
}

// copy reads bytes for a reader, as they arrive.
func (f *flight) copy(r *mediaReader, p []byte, off int64) (n int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for n < len(p) && err == nil {
		at, read := off+int64(n), 0
		f.reach(r, at)
		switch {
		case r.cut:
			err = errSlowClient
		case at < f.stored:
			read, err = f.copyStored(p[n:], at)
		case at < f.base:
			err = errPassed
		case at < f.written:
			read = copy(p[n:], f.window[at-f.base:])
		case f.err != nil:
			err = f.err
		default:
			f.changed.Wait()
		}
		n += read
	}
	f.reach(r, off+int64(n))
	return n, err
}

// reach moves a reader on, for which Write may wait. The caller holds mu.
func (f *flight) reach(r *mediaReader, at int64) {
	if at > r.at {
		r.at = at
		if !f.stores() {
			f.changed.Broadcast()
		}
	}
}

// copyStored reads the file, unlocked. The caller holds mu.
func (f *flight) copyStored(p []byte, at int64) (int, error) {
	p, file := p[:min(int64(len(p)), f.stored-at)], f.file
	f.mu.Unlock()
	defer f.mu.Lock()
	return file.ReadAt(p, at)
}
