// This file downloads an object into a file. It appends to the bytes that an earlier transfer or another process left.
// If they belong to another object, verification fails and the download restarts.

package follow

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"os"

	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
)

// complete downloads an object of at most max bytes into a file, until check accepts the number of its bytes. It keeps
// the file after an error that is temporary.
func (d *download) complete(ctx context.Context, form, key, path string, max int64, check func(n int64) error) error {
	for {
		begun, n, err := d.resume(ctx, form, key, path, max)
		if err == nil {
			err = check(n)
		}
		if err == nil || ctx.Err() != nil || store.Temporary(err) {
			return err
		}
		if e := os.Remove(path); e != nil || begun == 0 {
			return errors.Join(err, e)
		}
	}
}

// resume downloads the rest of an object. It returns how many bytes the file had before, and has now.
func (d *download) resume(ctx context.Context, form, key, path string, max int64) (begun, n int64, err error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, fileMode)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if begun, err = file.Seek(0, io.SeekEnd); err != nil {
		return 0, 0, err
	}
	if begun > max {
		return begun, begun, store.ErrTooLarge
	}
	counted := counter{file, func(n int) { d.fetchedBytes.Add(form, uint64(n)) }}
	n, err = d.transfers(ctx, key, begun, max, counted)
	return begun, n, err
}

// counter counts the bytes that arrive.
type counter struct {
	io.Writer
	count func(n int)
}

func (c counter) Write(b []byte) (int, error) {
	c.count(len(b))
	return c.Writer.Write(b)
}

// transfers copies an object of at most max bytes from an offset on, and returns how many bytes it has or had until
// an error. It resumes for as long as each transfer adds bytes.
func (f *Follower) transfers(ctx context.Context, key string, at, max int64, w io.Writer) (int64, error) {
	for {
		n, err := f.transfer(ctx, key, at, max, w)
		at += n
		if e, ok := errors.AsType[*store.StatusError](err); ok && at > 0 && e.Status == http.StatusRequestedRangeNotSatisfiable {
			return at, nil // nothing follows
		}
		if err == nil || n == 0 || !store.Temporary(err) {
			return at, err
		}
	}
}

func (f *Follower) transfer(ctx context.Context, key string, at, max int64, w io.Writer) (int64, error) {
	if at == max {
		return 0, nil
	}
	obj, err := f.cfg.Store.Get(ctx, key, store.GetOptions{Offset: at, Max: max - at})
	if err != nil {
		return 0, err
	}
	defer func() { _ = obj.Close() }()
	return io.Copy(w, obj)
}

// matches reports whether a file is a snapshot.
func matches(path string, s release.Snapshot) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }()
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(file, s.Bytes+1))
	return err == nil && n == s.Bytes && hex.EncodeToString(h.Sum(nil)) == s.SHA256
}
