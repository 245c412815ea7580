package contentcoding

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
)

// gzipped is a gzip member that contains text.
func gzipped(text string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(text)) // a buffer takes all
	_ = w.Close()
	return b.Bytes()
}

func TestGunzip(t *testing.T) {
	one, two := gzipped("one"), gzipped(strings.Repeat("two", 1000))
	for name, c := range map[string]struct {
		src   []byte
		limit int
		want  string
	}{
		"a member":              {one, 100, "one"},
		"at the limit":          {one, 3, "one"},
		"two members":           {slices.Concat(one, gzipped(""), one), 6, "oneone"},
		"an empty body":         {gzipped(""), 0, ""},
		"longer than the input": {two, 3000, strings.Repeat("two", 1000)},
	} {
		if got, err := Gunzip(c.src, c.limit); err != nil || string(got) != c.want {
			t.Errorf("%s: %.20q, %v", name, got, err)
		}
	}
	broken := bytes.Clone(one)
	broken[len(broken)-5] ^= 1
	for name, src := range map[string][]byte{
		"nothing": {}, "no gzip": []byte("{}"), "a magic alone": one[:2], "a cut head": one[:9], "a cut body": one[:12], "a cut end": one[:len(one)-1],
		"a wrong checksum": broken, "bytes behind": append(bytes.Clone(one), "x"...), "zeros behind": append(bytes.Clone(one), make([]byte, 20)...), "a cut second member": append(bytes.Clone(one), one[:11]...),
	} {
		if got, err := Gunzip(src, 100); err == nil || err == io.EOF || errors.Is(err, ErrTooLong) || got != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for name, src := range map[string][]byte{"a byte too long": gzipped("1234"), "too long together": slices.Concat(one, one), "far too long": two, "too long and cut": two[:len(two)-8]} {
		if got, err := Gunzip(src, 3); !errors.Is(err, ErrTooLong) || got != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// Gunzip does not decompress beyond the limit.
func TestGunzipStopsAtTheLimit(t *testing.T) {
	var bomb bytes.Buffer
	w, _ := gzip.NewWriterLevel(&bomb, gzip.BestCompression)
	for range 32 {
		_, _ = w.Write(make([]byte, 1<<20))
	}
	_ = w.Close()
	const limit = 256 << 10
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Gunzip(bomb.Bytes(), limit)
	runtime.ReadMemStats(&after)
	if !errors.Is(err, ErrTooLong) {
		t.Fatal(err)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 16*limit {
		t.Errorf("%d bytes for a body of at most %d", n, limit)
	}
}

// BenchmarkGunzipEmptyMembers uses the slowest input for its length.
func BenchmarkGunzipEmptyMembers(b *testing.B) {
	src := bytes.Repeat(gzipped(""), 256<<10/len(gzipped("")))
	for b.Loop() {
		if _, err := Gunzip(src, 1); err != nil {
			b.Fatal(err)
		}
	}
}
