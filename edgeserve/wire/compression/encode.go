// Package compression compresses and decompresses in the codings of package contentcoding. The generator writes
// precompressed files with it, and the edge compresses responses without a file. It is separate from package
// contentcoding because the encoders take megabytes of a program, and the offline engine needs none. Results depend
// only on body, coding and level: no file names and no times.

package compression

import (
	"io"
	"sync"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"contentedge/edgeserve/wire/contentcoding"
)

// Version is the version of the encoders' output. Increase it when a body gets other compressed
// bytes, for example with a newer module. Builds reuse only precompressed files of this version
// from their baseline.
const Version = 1

// Levels are the compression levels: gzip 1 to 9, Brotli 0 to 11, zstd 1 (fastest), 2, 3 (better)
// and 4 (best). Levels out of range are clamped.
type Levels [contentcoding.Count]int

var (
	// ForFiles is for files, which are compressed once and sent often.
	ForFiles = Levels{contentcoding.Gzip: 9, contentcoding.Brotli: 5, contentcoding.Zstd: 3}
	// ForFilesSmallest is ForFiles with the slowest Brotli and zstd.
	ForFilesSmallest = Levels{contentcoding.Gzip: 9, contentcoding.Brotli: 11, contentcoding.Zstd: 4}
)

var bounds = [contentcoding.Count][2]int{contentcoding.Gzip: {1, 9}, contentcoding.Brotli: {0, 11}, contentcoding.Zstd: {1, 4}} // the lowest and highest level of each coding

const maxLevels = 12 // above every level

const maxWindow = 8 << 20 // the longest zstd window that RFC 9659 permits, in bytes

// writers are idle encoders by coding and level. A new one costs more than compressing a page.
var writers [contentcoding.Count][maxLevels]sync.Pool

// largeBrotli are idle Brotli encoders whose first body was large. The first body fixes an
// encoder's match finder.
var largeBrotli [maxLevels]sync.Pool

const largeBody = 1 << 20 // from here on Brotli uses another match finder, in bytes

// Encode appends the compressed src to dst, which must not overlap src. Identity copies.
func (l Levels) Encode(c contentcoding.Coding, dst, src []byte) []byte {
	level := min(max(l[c], bounds[c][0]), bounds[c][1])
	switch c {
	case contentcoding.Gzip:
		return encodeGzip(level, dst, src, nil)
	case contentcoding.Brotli:
		return encodeBrotli(level, dst, src)
	case contentcoding.Zstd:
		return encodeZstd(level, dst, src)
	}
	return append(dst, src...)
}

// For clients that wait: higher levels cost more time than they save in transfer (BenchmarkEncode).
const (
	fastGzip   = 4
	fastZstd   = 2
	fastWindow = 1 << 20 // of zstd for long bodies, in bytes
)

var fastWriters sync.Pool // zstd encoders for long bodies

// EncodeFast is Encode with a coding from ChooseFast, while a client waits. It lacks Brotli, which
// is slower at the same size and adds a megabyte to the program. EncodeFast calls pause, if not
// nil, between chunks of src.
func EncodeFast(c contentcoding.Coding, dst, src []byte, pause func()) []byte {
	switch c {
	case contentcoding.Gzip:
		return encodeGzip(fastGzip, dst, src, pause)
	case contentcoding.Zstd:
		return encodeZstdChunks(dst, src, pause)
	}
	return append(dst, src...)
}

const chunkSize = 64 << 10 // bytes between pauses, which gzip compresses in 400 us and zstd in 600 us

func encodeGzip(level int, dst, src []byte, pause func()) []byte {
	pool, out := &writers[contentcoding.Gzip][level], buffer{dst}
	w, ok := pool.Get().(*gzip.Writer)
	if !ok {
		w, _ = gzip.NewWriterLevel(nil, level) // the level is valid
	}
	w.Reset(&out)
	w.ModTime = time.Unix(0, 0) // RFC 1952, 2.3.1: no time stamp is available
	finish(w, src, pause)
	pool.Put(w)
	return out.take()
}

func encodeBrotli(level int, dst, src []byte) []byte {
	pool, out := &writers[contentcoding.Brotli][level], buffer{dst}
	if len(src) >= largeBody {
		pool = &largeBrotli[level]
	}
	w, ok := pool.Get().(*brotli.Writer)
	if !ok {
		w = brotli.NewWriterLevel(nil, level)
	}
	w.Reset(&out)
	finish(w, src, nil)
	pool.Put(w)
	return out.take()
}

func encodeZstd(level int, dst, src []byte) []byte {
	pool := &writers[contentcoding.Zstd][level]
	w, ok := pool.Get().(*zstd.Encoder)
	if !ok {
		w = newZstd(level, maxWindow)
	}
	dst = w.EncodeAll(src, dst)
	pool.Put(w)
	return dst
}

func newZstd(level, window int) *zstd.Encoder {
	w, _ := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.EncoderLevel(level)), zstd.WithWindowSize(window),
		zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true)) // all options are valid
	return w
}

// For snapshots and patches on their way to nodes: of 64 MB, 20.6 MB are left after 0.32 s. The level above leaves
// 19.4 MB after 0.9 s.
const (
	streamLevel  = 2
	streamWindow = 4 << 20
)

var streams sync.Pool // idle encoders of NewZstdWriter

// zstdWriter returns its encoder when it is closed.
type zstdWriter struct{ *zstd.Encoder }

func (w *zstdWriter) Close() error {
	err := w.Encoder.Close()
	w.Reset(nil) // an idle encoder must not retain the output
	streams.Put(w.Encoder)
	w.Encoder = nil
	return err
}

// NewZstdWriter compresses what is written to it, for files of any size. The caller closes it once.
func NewZstdWriter(out io.Writer) io.WriteCloser {
	w, ok := streams.Get().(*zstd.Encoder)
	if !ok {
		// With less memory it would move the whole window for each block.
		w, _ = zstd.NewWriter(nil, zstd.WithEncoderLevel(streamLevel), zstd.WithWindowSize(streamWindow), zstd.WithEncoderConcurrency(1)) // all options are valid
	}
	w.Reset(out)
	return &zstdWriter{w}
}

// encodeZstdChunks is encodeZstd in chunks, with a smaller window because the encoder copies it.
func encodeZstdChunks(dst, src []byte, pause func()) []byte {
	if len(src) <= chunkSize {
		return encodeZstd(fastZstd, dst, src)
	}
	out := buffer{dst}
	w, ok := fastWriters.Get().(*zstd.Encoder)
	if !ok {
		w = newZstd(fastZstd, fastWindow)
	}
	w.ResetContentSize(&out, int64(len(src)))
	finish(w, src, pause)
	fastWriters.Put(w)
	return out.take()
}

// finish writes src and closes w. Writes to a buffer cannot fail.
func finish(w io.WriteCloser, src []byte, pause func()) {
	for pause != nil && len(src) > chunkSize {
		_, _ = w.Write(src[:chunkSize])
		src = src[chunkSize:]
		pause()
	}
	_, _ = w.Write(src)
	_ = w.Close()
}

type buffer struct{ b []byte }

// take returns and drops the buffer's bytes, so that an idle encoder does not retain them.
func (w *buffer) take() []byte {
	b := w.b
	w.b = nil
	return b
}

func (w *buffer) Write(p []byte) (int, error) {
	w.b = append(w.b, p...)
	return len(p), nil
}
