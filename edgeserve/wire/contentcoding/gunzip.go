// This file decompresses untrusted gzip bodies. It is separate from package compression so that servers link no other
// decompressor.

package contentcoding

import (
	"bytes"
	"errors"
	"io"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// ErrTooLong: the decompressed body exceeds its limit.
var ErrTooLong = errors.New("the body is too long")

var gunzippers sync.Pool

// Gunzip decompresses src, which has one or more gzip members. It stops with ErrTooLong after limit
// bytes. Any other error describes invalid input.
func Gunzip(src []byte, limit int) ([]byte, error) {
	in := bytes.NewReader(src)
	z, ok := gunzippers.Get().(*gzip.Reader)
	if !ok {
		z = new(gzip.Reader)
	}
	defer func() {
		in.Reset(nil) // an idle decompressor must not retain src
		gunzippers.Put(z)
	}()
	if err := z.Reset(in); err != nil {
		return nil, noEnd(err)
	}
	body, err := io.ReadAll(io.LimitReader(z, int64(limit)+1))
	switch {
	case len(body) > limit:
		return nil, ErrTooLong
	case err != nil:
		return nil, noEnd(err)
	}
	return body, nil
}

// noEnd converts io.EOF to io.ErrUnexpectedEOF: io.EOF would look like the end of the body.
func noEnd(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
