// This file decompresses content files within bounds.

package source

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"contentedge/generator/source/documents"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

const (
	// maxGrowth bounds a text relative to its compressed file, beyond smallText: exports shrink to a tenth
	// or a fiftieth; less is left of a text of one word, or of a file that is made to fill memories.
	maxGrowth = 250
	smallText = 16 << 20
	// maxWindow bounds the memory of a decoder for zstd. The program zstd takes 8 MiB at most unless it is
	// told --ultra or --long.
	maxWindow = 32 << 20
	// smallCompressed is the size of compressed files of lines up to which the text is read as a whole.
	smallCompressed = 16 << 10
)

// decoder reads the text of a compressed file.
type decoder struct {
	f     File
	raw   *rawFile
	from  resetter
	n     int64 // bytes of the text
	limit int64
	free  func()
}

var gzipReaders = sync.Pool{New: func() any { return new(gzip.Reader) }}

var zstdReaders = sync.Pool{New: func() any {
	d, _ := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow)) // the options are valid
	return d
}}

// decompress returns a reader of the text of a file.
func (f File) decompress(raw *rawFile) (*decoder, error) {
	d := &decoder{f: f, raw: raw, limit: smallText + maxGrowth*raw.size, free: func() {}}
	if !f.Format.Lines {
		d.limit = min(d.limit, largest(f.Format))
	}
	if raw.size == 0 {
		return nil, documents.ErrEmpty
	}
	switch f.Format.Compression {
	case documents.Gzip:
		r := gzipReaders.Get().(*gzip.Reader)
		d.from, d.free = r, func() { gzipReaders.Put(r) }
	default:
		r := zstdReaders.Get().(*zstd.Decoder)
		d.from, d.free = r, func() { _ = r.Reset(nil); zstdReaders.Put(r) }
	}
	if err := d.begin(); err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

// resetter is an io.Reader of a text that can begin with another file.
type resetter interface {
	io.Reader
	Reset(io.Reader) error
}

// begin begins to read the text, from the place in the file that is read next.
func (d *decoder) begin() error {
	d.n = 0
	if err := d.from.Reset(d.raw); err != nil {
		return d.failed(err)
	}
	return nil
}

// Read reads the text. At its end the file has not changed, and nothing follows.
func (d *decoder) Read(b []byte) (int, error) {
	n, err := d.from.Read(b)
	if d.n += int64(n); d.n > d.limit {
		return 0, d.tooLarge()
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, d.failed(err)
	}
	return n, err
}

func (d *decoder) tooLarge() error {
	if most := largest(d.f.Format); !d.f.Format.Lines && d.limit == most {
		return d.f.problem(fmt.Sprintf("the text of this file has more than %d bytes; a %s file may have %d", most, d.f.Format.Extensions[0], most), d.f.largeHint())
	}
	return d.f.problem(fmt.Sprintf("the text of this file has more than %d bytes, more than %d times as many as the file", d.limit, maxGrowth), "it may be damaged, or made to fill memories; decompress it if it is right")
}

// failed explains an error of a decoder.
func (d *decoder) failed(err error) error {
	name := d.f.Format.Compression.Name
	again := "compress it again, or take it from where it came again"
	switch {
	case d.raw.err != nil:
		return d.raw.err
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, zstd.ErrMagicMismatch):
		if d.n == 0 {
			return d.f.problem("this is no "+name+" file", "its name says that it is; rename it, or compress it")
		}
		return d.f.problem("something else follows the "+name+" data of this file", again)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return d.f.problem("this "+name+" file is cut off", again)
	case errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded), errors.Is(err, zstd.ErrWindowSizeTooSmall):
		return d.f.problem(fmt.Sprintf("this zstd file needs more than %d bytes of memory", maxWindow), "compress it again without --long and --ultra")
	case errors.Is(err, zstd.ErrUnknownDictionary):
		return d.f.problem("this zstd file needs a dictionary", "compress it again without one")
	}
	return d.f.problem(fmt.Sprintf("this %s file is damaged: %v", name, err), again)
}

// close gives the decoder back to the next file.
func (d *decoder) close() {
	d.free()
	d.free = func() {}
}

// All reads the whole text. A large one is read twice: the first time only counts, so that a text beyond
// the limit takes no memory, and another one takes as much as it has bytes.
func (d *decoder) All() ([]byte, error) {
	var text bytes.Buffer
	_, err := text.ReadFrom(io.LimitReader(d, smallText))
	if err != nil || d.n < smallText {
		return text.Bytes(), err
	}
	text = bytes.Buffer{}
	if _, err := io.Copy(io.Discard, d); err != nil {
		return nil, err
	}
	size := d.n
	if err := d.raw.rewind(); err != nil {
		return nil, err
	}
	if err := d.begin(); err != nil {
		return nil, err
	}
	all := make([]byte, size, size+1)
	if _, err := io.ReadFull(d, all); err != nil {
		return nil, err
	}
	switch _, err := io.ReadFull(d, all[size:size+1]); {
	case err == nil:
		return nil, d.f.problem(changed, "")
	case !errors.Is(err, io.EOF):
		return nil, err
	}
	return all, nil
}
