package compression

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"sync"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"contentedge/edgeserve/wire/contentcoding"
)

// decode decompresses; for gzip it uses the standard library, an independent
// implementation.
func decode(t *testing.T, c contentcoding.Coding, b []byte) []byte {
	t.Helper()
	var r io.Reader = bytes.NewReader(b)
	var err error
	switch c {
	case contentcoding.Gzip:
		r, err = gzip.NewReader(r)
	case contentcoding.Brotli:
		r = brotli.NewReader(r)
	case contentcoding.Zstd:
		r, err = zstd.NewReader(r, zstd.WithDecoderMaxWindow(maxWindow))
	}
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(r)
	if err != nil {
		t.Fatalf("%s: %v", c, err)
	}
	return out
}

func bodies(t *testing.T) [][]byte {
	t.Helper()
	page, err := os.ReadFile("testdata/list.json")
	if err != nil {
		t.Fatal(err)
	}
	noise := make([]byte, 100000)
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range noise {
		noise[i] = byte(rng.Uint32())
	}
	return [][]byte{nil, []byte("x"), page, bytes.Repeat(page, 10), noise}
}

// TestCompression: what an encoder of each coding and level writes is decoded to the body.
func TestCompression(t *testing.T) {
	for i, body := range bodies(t) {
		for _, levels := range []Levels{ForFiles, ForFilesSmallest, {contentcoding.Gzip: -5, contentcoding.Brotli: -1, contentcoding.Zstd: 0}, {contentcoding.Gzip: 99, contentcoding.Zstd: 99}} {
			for c := range contentcoding.Count {
				out := levels.Encode(c, []byte("head"), body)
				compressed, ok := bytes.CutPrefix(out, []byte("head"))
				if !ok || !bytes.Equal(decode(t, c, compressed), body) {
					t.Errorf("body %d in %s at %d does not come back", i, c, levels[c])
				}
			}
		}
		for _, c := range []contentcoding.Coding{contentcoding.Identity, contentcoding.Gzip, contentcoding.Zstd} {
			pauses := 0
			out := EncodeFast(c, []byte("head"), body, func() { pauses++ })
			if !bytes.Equal(decode(t, c, bytes.TrimPrefix(out, []byte("head"))), body) {
				t.Errorf("body %d in %s does not come back from EncodeFast", i, c)
			}
			if want := max(len(body)-1, 0) / chunkSize; c != contentcoding.Identity && pauses != want {
				t.Errorf("body %d in %s: %d pauses, want %d", i, c, pauses, want)
			}
		}
	}
}

// The bytes depend only on body, coding and level, not on earlier bodies or
// concurrency.
func TestEncodeIsDeterministic(t *testing.T) {
	all := bodies(t)
	encoders := map[string]func(body []byte) []byte{}
	for c := range contentcoding.Count {
		encoders[c.String()] = func(body []byte) []byte { return ForFiles.Encode(c, nil, body) }
		encoders[c.String()+", fast"] = func(body []byte) []byte { return EncodeFast(c, nil, body, func() {}) }
	}
	for name, encode := range encoders {
		want := make([][]byte, len(all))
		for i, body := range all {
			want[i] = encode(body)
		}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for i := range 3 * len(all) {
					i = (i * 7) % len(all)
					if !bytes.Equal(encode(all[i]), want[i]) {
						t.Errorf("body %d in %s has other bytes now", i, name)
					}
				}
			})
		}
		wg.Wait()
	}
}

// A body longer than the window survives a round trip, with the same bytes whatever was
// compressed before.
func TestEncodeFastLong(t *testing.T) {
	all := bodies(t)
	noise := all[4]
	long := bytes.Repeat(all[2], 1+3*fastWindow/2/len(all[2]))
	for i := 0; i < len(long); i += 97 {
		long[i] = noise[i%len(noise)]
	}
	for _, c := range []contentcoding.Coding{contentcoding.Gzip, contentcoding.Zstd} {
		first := EncodeFast(c, nil, long, nil)
		if !bytes.Equal(decode(t, c, first), long) {
			t.Errorf("%s does not come back", c)
		}
		EncodeFast(c, nil, all[3], nil)
		if !bytes.Equal(EncodeFast(c, nil, long, func() {}), first) {
			t.Errorf("%s has other bytes now", c)
		}
	}
}

// A gzip header contains no name, time or operating system.
func TestGzipHeader(t *testing.T) {
	head := ForFiles.Encode(contentcoding.Gzip, nil, []byte("x"))[:10]
	if fmt.Sprintf("%x", head) != "1f8b08000000000002ff" {
		t.Errorf("header %x", head)
	}
}

func TestNames(t *testing.T) {
	for c, want := range map[contentcoding.Coding]string{contentcoding.Identity: "identity", contentcoding.Gzip: "gzip.gz", contentcoding.Zstd: "zstd.zst", contentcoding.Brotli: "br.br", contentcoding.Count: "Coding(4)"} {
		got := c.String()
		if c < contentcoding.Count {
			got += c.Suffix()
		}
		if got != want {
			t.Errorf("%d is %s", c, got)
		}
	}
}

func TestDecode(t *testing.T) {
	for _, c := range append(contentcoding.Codings[:], contentcoding.Identity) {
		for i, body := range bodies(t) {
			compressed := ForFiles.Encode(c, nil, body)
			if got, err := Decode(c, compressed, len(body)); err != nil || !bytes.Equal(got, body) {
				t.Errorf("%s, body %d: %v", c, i, err)
			}
			if len(body) == 0 || c == contentcoding.Identity {
				continue
			}
			if _, err := Decode(c, compressed, len(body)-1); err == nil {
				t.Errorf("%s, body %d: a longer one was read", c, i)
			}
			if _, err := Decode(c, compressed[:len(compressed)-1], len(body)); err == nil {
				t.Errorf("%s, body %d: one cut short was read", c, i)
			}
			if got, err := Decode(c, append(compressed, "tail"...), len(body)); err == nil {
				t.Errorf("%s, body %d: %d bytes with a tail were read", c, i, len(got))
			}
		}
	}
}

// Earlier bodies do not influence later ones, however large they are.
func TestBrotliForgets(t *testing.T) {
	page := bodies(t)[2]
	large := bytes.Repeat(page, 1+largeBody/len(page))
	for _, level := range []int{4, 5, 7} { // no other test uses level 7
		for _, body := range [][]byte{large, page, page[:len(page)/2], large, page} {
			var want bytes.Buffer
			w := brotli.NewWriterLevel(&want, level)
			if _, err := w.Write(body); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if got := (Levels{contentcoding.Brotli: level}).Encode(contentcoding.Brotli, nil, body); !bytes.Equal(got, want.Bytes()) {
				t.Errorf("level %d: %d bytes differ from those of a new writer", level, len(body))
			}
		}
	}
}

// TestVersion fails when the encoders' output changes: without another Version, incremental builds
// would mix old and new output.
func TestVersion(t *testing.T) {
	const version, want = 1, "1c247f19acf977e8"
	body, err := os.ReadFile("testdata/list.json")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.New()
	for _, levels := range []Levels{ForFiles, ForFilesSmallest} {
		for _, c := range contentcoding.Codings {
			for _, b := range [][]byte{body, bytes.Repeat(body, largeBody/len(body)+1)} {
				sum.Write(levels.Encode(c, nil, b))
			}
		}
	}
	if got := hex.EncodeToString(sum.Sum(nil)[:8]); Version != version || got != want {
		t.Errorf("version %d encodes to %s, and version %d to %s: raise Version and note its sum here", Version, got, version, want)
	}
}

// Encoders of streams are used again, by one writer at a time.
func TestStreams(t *testing.T) {
	for _, body := range bodies(t) {
		var first, second bytes.Buffer
		a, b := NewZstdWriter(&first), NewZstdWriter(&second)
		for _, w := range []io.Writer{a, b} {
			if _, err := w.Write(body); err != nil {
				t.Fatal(err)
			}
		}
		for _, w := range []io.Closer{a, b} {
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("two encoders made %d and %d bytes", first.Len(), second.Len())
		}
		r, err := NewZstdReader(&first)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, body) {
			t.Errorf("%d bytes of %d, %v", len(got), len(body), err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}
