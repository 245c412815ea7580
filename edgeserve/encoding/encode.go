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
	// ForAnswers is for bodies that are coded while a client waits: what a level above
	// costs in time it does not save in transfer (BenchmarkEncode).
	ForAnswers = Levels{Gzip: 4, Brotli: 0, Zstd: 2}
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

// Encode appends src in a coding to dst, which must not overlap it; Identity copies.
func (l Levels) Encode(c Coding, dst, src []byte) []byte {
	level := min(max(l[c], bounds[c][0]), bounds[c][1])
	pool := &writers[c][level]
	out := buffer{dst}
	switch c {
	case Gzip:
		w, ok := pool.Get().(*gzip.Writer)
		if !ok {
			w, _ = gzip.NewWriterLevel(nil, level) // the level is in bounds
		}
		w.Reset(&out)
		w.ModTime = time.Unix(0, 0) // "no time stamp is available", RFC 1952 2.3.1
		finish(w, src)
		pool.Put(w)
	case Brotli:
		w, ok := pool.Get().(*brotli.Writer)
		if !ok {
			w = brotli.NewWriterLevel(nil, level)
		}
		w.Reset(&out)
		finish(w, src)
		pool.Put(w)
	case Zstd:
		w, ok := pool.Get().(*zstd.Encoder)
		if !ok {
			w = newZstd(level)
		}
		out.b = w.EncodeAll(src, dst)
		pool.Put(w)
	default:
		out.b = append(dst, src...)
	}
	return out.b
}

func newZstd(level int) *zstd.Encoder {
	w, _ := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.EncoderLevel(level)), zstd.WithWindowSize(maxWindow),
		zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true)) // no option is out of bounds
	return w
}

// finish writes all of src; a buffer takes everything, so nothing can fail.
func finish(w io.WriteCloser, src []byte) {
	_, _ = w.Write(src)
	_ = w.Close()
}

// buffer appends what is written to it.
type buffer struct{ b []byte }

func (w *buffer) Write(p []byte) (int, error) {
	w.b = append(w.b, p...)
	return len(p), nil
}
