// This file undoes gzip for a server: the body is anyone's, and may become a thousand times
// as long. Only gzip is here, so that a server links no other decoder.

package encoding

import (
	"bytes"
	"errors"
	"io"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// ErrTooLong is the error of a body that is longer than its limit.
var ErrTooLong = errors.New("the body is longer than it may be")

// gunzippers are idle decoders.
var gunzippers sync.Pool

// Gunzip gives the body that src holds in gzip, in one member or several, one behind the
// other. It stops at the first byte beyond limit, with ErrTooLong. Any other error says
// what is wrong with src.
func Gunzip(src []byte, limit int) ([]byte, error) {
	in := bytes.NewReader(src)
	z, ok := gunzippers.Get().(*gzip.Reader)
	if !ok {
		z = new(gzip.Reader)
	}
	defer func() {
		in.Reset(nil) // an idle decoder does not hold src
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

// noEnd makes an error of the end of src, which must not pass for that of a body.
func noEnd(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
