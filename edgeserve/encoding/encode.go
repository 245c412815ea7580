// This file makes coded bodies. The same body, coding and level give the same bytes
// whenever and wherever they are made: names of files and times are not among them.

package encoding

import (
	"io"
	"sync"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Levels is how much work goes into each coding: gzip 1 to 9, Brotli 0 to 11, and zstd
// 1 (fastest), 2, 3 (better) and 4 (best). A level beyond an end is that end.
type Levels [Count]int

var (
	// ForFiles is for bodies that are coded once and sent often.
	ForFiles = Levels{Gzip: 9, Brotli: 5, Zstd: 3}
	// ForFilesSmallest is ForFiles with Brotli at its slowest.
	ForFilesSmallest = Levels{Gzip: 9, Brotli: 11, Zstd: 4}
)

// bounds are the lowest and the highest level of each coding.
var bounds = [Count][2]int{Gzip: {1, 9}, Brotli: {0, 11}, Zstd: {1, 4}}

// maxLevels is above every level.
const maxLevels = 12

// maxWindow is how far back a zstd body may refer: RFC 9659 promises browsers no more.
const maxWindow = 8 << 20

// writers are idle encoders of each coding and level: making one costs more than coding
// a page.
var writers [Count][maxLevels]sync.Pool

// largeBrotli are those of Brotli that have begun with a large body. Their first body
// decides how they look for repetitions, for all that follow.
var largeBrotli [maxLevels]sync.Pool

// largeBody is from where Brotli looks for repetitions in another way.
const largeBody = 1 << 20

// Encode appends src in a coding to dst, which must not overlap it; Identity copies.
func (l Levels) Encode(c Coding, dst, src []byte) []byte {
	level := min(max(l[c], bounds[c][0]), bounds[c][1])
	switch c {
	case Gzip:
		return encodeGzip(level, dst, src, nil)
	case Brotli:
		return encodeBrotli(level, dst, src)
	case Zstd:
		return encodeZstd(level, dst, src)
	}
	return append(dst, src...)
}

// The levels for a body that is coded while a client waits: what a level above costs in
// time it does not save in transfer (BenchmarkEncode).
const (
	fastGzip = 4
	fastZstd = 2
	// fastWindow is how far back a long zstd body refers.
	fastWindow = 1 << 20
)

// fastWriters are idle encoders of zstd for long bodies.
var fastWriters sync.Pool

// EncodeFast is Encode for a body that is coded while a client waits, in a coding that
// ChooseFast gave. Brotli is not among them: it is slower than the other two at the same
// size, and a program that does not write it is a megabyte smaller.
//
// pause, unless it is nil, is called between pieces of src. The coders work when they have
// several of them: 400 us for gzip, 600 us for zstd.
func EncodeFast(c Coding, dst, src []byte, pause func()) []byte {
	switch c {
	case Gzip:
		return encodeGzip(fastGzip, dst, src, pause)
	case Zstd:
		return encodeZstdPieces(dst, src, pause)
	}
	return append(dst, src...)
}

// piece is how many bytes are coded at once while a client waits.
const piece = 64 << 10

func encodeGzip(level int, dst, src []byte, pause func()) []byte {
	pool, out := &writers[Gzip][level], buffer{dst}
	w, ok := pool.Get().(*gzip.Writer)
	if !ok {
		w, _ = gzip.NewWriterLevel(nil, level) // the level is in bounds
	}
	w.Reset(&out)
	w.ModTime = time.Unix(0, 0) // "no time stamp is available", RFC 1952 2.3.1
	finish(w, src, pause)
	pool.Put(w)
	return out.take()
}

func encodeBrotli(level int, dst, src []byte) []byte {
	pool, out := &writers[Brotli][level], buffer{dst}
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
	pool := &writers[Zstd][level]
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
		zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true)) // no option is out of bounds
	return w
}

// encodeZstdPieces is encodeZstd for a body that is coded while a client waits. A long one
// is coded in pieces, by an encoder that looks less far back: it has a copy of that part.
func encodeZstdPieces(dst, src []byte, pause func()) []byte {
	if len(src) <= piece {
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

// finish writes all of src, in pieces if there are to be pauses; a buffer takes everything,
// so nothing can fail.
func finish(w io.WriteCloser, src []byte, pause func()) {
	for pause != nil && len(src) > piece {
		_, _ = w.Write(src[:piece])
		src = src[piece:]
		pause()
	}
	_, _ = w.Write(src)
	_ = w.Close()
}

// buffer appends what is written to it.
type buffer struct{ b []byte }

// take is what was written. An idle encoder that still has the buffer must not hold it.
func (w *buffer) take() []byte {
	b := w.b
	w.b = nil
	return b
}

func (w *buffer) Write(p []byte) (int, error) {
	w.b = append(w.b, p...)
	return len(p), nil
}
