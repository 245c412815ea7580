// This file undoes codings: whoever checks a coded file has to read it as a client does.

package encoding

import (
	"bytes"
	"fmt"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Decode gives the body that src holds in a coding. It reads no more than limit bytes
// of it; a longer one, and what is left behind the end of a body, is an error.
func Decode(c Coding, src []byte, limit int) ([]byte, error) {
	in := bytes.NewReader(src)
	r, err := NewReader(c, in)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	body, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	switch {
	case err != nil:
		return nil, err
	case len(body) > limit:
		return nil, fmt.Errorf("the %s body has more than %d bytes", c, limit)
	case in.Len() > 0:
		return nil, fmt.Errorf("%d bytes follow the %s body", in.Len(), c)
	}
	return body, nil
}

// reader is a body being decoded.
type reader struct {
	io.Reader
	end func()
}

func (r reader) Close() error {
	r.end()
	return nil
}

// NewReader reads the body that in holds in a coding. The caller bounds what it reads of
// it, which may be far more than in has, and closes it.
func NewReader(c Coding, in io.Reader) (io.ReadCloser, error) {
	r := reader{in, func() {}}
	var err error
	switch c {
	case Gzip:
		r.Reader, err = gzip.NewReader(in)
	case Brotli:
		r.Reader = brotli.NewReader(in)
	case Zstd:
		var d *zstd.Decoder
		if d, err = zstd.NewReader(in, zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderConcurrency(1)); err == nil {
			r = reader{d, d.Close}
		}
	}
	return r, err
}
