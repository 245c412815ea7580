// This file decompresses, so that files can be verified as clients read them.

package compression

import (
	"bytes"
	"fmt"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"contentedge/edgeserve/wire/contentcoding"
)

// Decode decompresses src. A body longer than limit bytes is an error, and so are bytes after its
// end.
func Decode(c contentcoding.Coding, src []byte, limit int) ([]byte, error) {
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

type reader struct {
	io.Reader
	end func()
}

func (r reader) Close() error {
	r.end()
	return nil
}

// NewReader decompresses in. The caller closes the reader and limits what it reads: the body can be
// far longer than in.
func NewReader(c contentcoding.Coding, in io.Reader) (io.ReadCloser, error) {
	r := reader{in, func() {}}
	var err error
	switch c {
	case contentcoding.Gzip:
		r.Reader, err = gzip.NewReader(in)
	case contentcoding.Brotli:
		r.Reader = brotli.NewReader(in)
	case contentcoding.Zstd:
		return NewZstdReader(in)
	}
	return r, err
}

// NewZstdReader is NewReader for only zstd, for programs that need no other decoder.
func NewZstdReader(in io.Reader) (io.ReadCloser, error) {
	d, err := zstd.NewReader(in, zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
	if err != nil {
		return nil, err
	}
	return reader{d, d.Close}, nil
}
