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
	r, end, err := decoder(c, in)
	if err != nil {
		return nil, err
	}
	defer end()
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

// decoder opens a coded body; end lets go of it.
func decoder(c Coding, in *bytes.Reader) (r io.Reader, end func(), err error) {
	end = func() {}
	switch c {
	case Gzip:
		r, err = gzip.NewReader(in)
	case Brotli:
		r = brotli.NewReader(in)
	case Zstd:
		var d *zstd.Decoder
		if d, err = zstd.NewReader(in, zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderConcurrency(1)); err == nil {
			r, end = d, d.Close
		}
	default:
		r = in
	}
	return r, end, err
}
