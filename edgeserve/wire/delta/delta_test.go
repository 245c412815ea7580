package delta

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/compression"
)

// TestDelta: a patch makes the new file of the old one, and has about as many bytes as the change.
func TestDelta(t *testing.T) {
	old := file(200_000)
	numbers, more := numbers(20_000, 0), numbers(20_000, 1)
	for _, c := range []struct {
		name     string
		old, new []byte
		most     int // bytes of the patch
	}{
		{"nothing of nothing", nil, nil, 40},
		{"all of nothing", nil, old, len(old) + 1000},
		{"nothing of all", old, nil, 40},
		{"unchanged", old, old, 60},
		{"one byte less than a block", old[:minBlock-1], old[:minBlock-1], 80},
		{"a byte changed", old, edit(old, 100_000, 1, "x"), 80},
		{"bytes put in", old, edit(old, 77, 0, "some more bytes"), 100},
		{"bytes left out", old, edit(old, 150_001, 1234, ""), 80},
		{"the first byte left out", old, old[1:], 80},
		{"the end left out", old, old[:199_999], 60},
		{"halves exchanged", old, append(bytes.Clone(old[99_999:]), old[:99_999]...), 90},
		{"put behind", old, append(bytes.Clone(old), old...), 100},
		{"a number more in a packed array", numbers, shifted(numbers, 17, 5), 600},
		{"numbers that are all greater by one", numbers, more, 600},
		{"zeros", make([]byte, 1<<20), make([]byte, 1<<20+3), 100},
	} {
		patch := mustMake(t, c.old, c.new)
		if len(patch) > c.most {
			t.Errorf("%s: %d bytes, more than %d", c.name, len(patch), c.most)
		}
		if got, err := apply(c.old, patch, len(c.new)); err != nil || !bytes.Equal(got, c.new) {
			t.Errorf("%s: %d bytes of %d, %v", c.name, len(got), len(c.new), err)
		}
	}
}

// Any two files have a patch.
func TestRandomFiles(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 1))
	for range 300 {
		old := file(rng.IntN(5000))
		if rng.IntN(2) == 0 {
			old = numbers(rng.IntN(3000), 0)
		}
		new := bytes.Clone(old)
		for range rng.IntN(6) {
			at := rng.IntN(len(new) + 1)
			new = edit(new, at, rng.IntN(min(len(new)-at, 600)+1), strings.Repeat("ab", rng.IntN(3)))
			if rng.IntN(3) == 0 {
				new = shifted(new, 1+rng.IntN(63), rng.Uint64())
			}
		}
		patch := mustMake(t, old, new)
		if got, err := apply(old, patch, len(new)); err != nil || !bytes.Equal(got, new) {
			t.Fatalf("seed %d: %d bytes of %d, %v", seed, len(got), len(new), err)
		}
	}
}

// A patch is not written beyond its bound.
func TestLimit(t *testing.T) {
	old, new := file(1000), numbers(300_000, 0)
	whole := mustMake(t, old, new)
	var out bytes.Buffer
	if err := Make(&out, old, new, int64(len(whole))); err != nil || !bytes.Equal(out.Bytes(), whole) {
		t.Errorf("at the bound: %v", err)
	}
	out.Reset()
	if err := Make(&out, old, new, int64(len(whole))-1); !errors.Is(err, ErrLarge) || out.Len() >= len(whole) {
		t.Errorf("%d bytes, %v", out.Len(), err)
	}
}

// Whoever sends a patch cannot make the reader fail otherwise than by an error, read outside the old file or
// write more than the new one has.
func TestHostilePatches(t *testing.T) {
	old := file(1000)
	good := mustMake(t, old, old)
	uv, sv := func(n uint64) string { return string(binary.AppendUvarint(nil, n)) }, func(n int64) string { return string(binary.AppendVarint(nil, n)) }
	for name, c := range map[string]struct{ patch, want string }{
		"empty":                    {"", "unexpected EOF"},
		"of another format":        {"cdgedlt2" + string(good[8:]), "does not begin"},
		"no zstd":                  {magic + "not zstd at all", "magic number"},
		"cut":                      {string(good[:len(good)-3]), "unexpected EOF"},
		"of a longer file":         {string(mustMake(t, old, append(bytes.Clone(old), 1))), "after the end"},
		"of a shorter file":        {string(mustMake(t, old, old[:999])), "unexpected EOF"},
		"followed by more":         {instructions(uv(0) + uv(2*1000) + sv(0) + "x"), "after the end"},
		"instructions that do not": {instructions(strings.Repeat("\x00", 1<<20)), "a copy of 0 bytes"},
		"small copies":             {instructions(uv(0) + uv(2*31) + sv(0)), "a copy of 31 bytes"},
		"before the file":          {instructions(uv(0) + uv(2*1000) + sv(-1)), "outside of the old file"},
		"far behind the file":      {instructions(uv(0) + uv(2*1000) + sv(1<<62)), "outside of the old file"},
		"huge literals":            {instructions(uv(1 << 63)), "more than the bytes"},
		"a huge copy":              {instructions(uv(0) + uv(1<<64-1) + sv(0)), "more than the bytes"},
		"an endless number":        {instructions(strings.Repeat("\xff", 20)), "overflow"},
	} {
		got, err := apply(old, []byte(c.patch), 1000)
		if !errors.Is(err, ErrPatch) || !strings.Contains(err.Error(), c.want) || len(got) > 1000 {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
	if got, err := apply(old, []byte(instructions(uv(0)+uv(2*1000)+sv(8*1<<40))), 1000); err != nil || !bytes.Equal(got, make([]byte, 1000)) {
		t.Errorf("behind the old file are no zeros: %v", err)
	}
}

// An error of the disk is none of the patch.
func TestErrorsOfFiles(t *testing.T) {
	old := file(1000)
	disk := errors.New("disk")
	patch := mustMake(t, old, old)
	if err := Apply(io.Discard, failing{disk}, 1000, bytes.NewReader(patch), 1000); !errors.Is(err, disk) || errors.Is(err, ErrPatch) {
		t.Errorf("reading: %v", err)
	}
	if err := Apply(failing{disk}, bytes.NewReader(old), 1000, bytes.NewReader(patch), 1000); !errors.Is(err, disk) || errors.Is(err, ErrPatch) {
		t.Errorf("writing: %v", err)
	}
}

func FuzzApply(f *testing.F) {
	old := file(3000)
	for _, new := range [][]byte{old, old[:500], edit(old, 1500, 3, "changed"), shifted(old, 13, 1), nil} {
		patch := mustMake(f, old, new)
		plain, err := io.ReadAll(must(compression.NewZstdReader(bytes.NewReader(patch[len(magic):]))))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(plain, uint16(len(new)))
	}
	f.Fuzz(func(t *testing.T, plain []byte, size uint16) {
		got, err := apply(old, []byte(instructions(string(plain))), int(size))
		if len(got) > int(size) || err == nil && len(got) != int(size) || err != nil && !errors.Is(err, ErrPatch) {
			t.Errorf("%d of %d bytes, %v", len(got), size, err)
		}
		_, _ = apply(old, plain, int(size))
	})
}

func FuzzMake(f *testing.F) {
	f.Add(file(300), edit(file(300), 100, 10, "x"))
	f.Add(numbers(100, 0), numbers(100, 1))
	f.Fuzz(func(t *testing.T, old, new []byte) {
		if got, err := apply(old, mustMake(t, old, new), len(new)); err != nil || !bytes.Equal(got, new) {
			t.Errorf("%d bytes of %d, %v", len(got), len(new), err)
		}
	})
}

type failing struct{ err error }

func (f failing) ReadAt([]byte, int64) (int, error) { return 0, f.err }
func (f failing) Write([]byte) (int, error)         { return 0, f.err }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func mustMake(t testing.TB, old, new []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := Make(&out, old, new, 1<<40); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func apply(old, patch []byte, size int) ([]byte, error) {
	var out bytes.Buffer
	err := Apply(&out, bytes.NewReader(old), int64(len(old)), bytes.NewReader(patch), int64(size))
	return out.Bytes(), err
}

// instructions is a patch with these instructions.
func instructions(plain string) string {
	var out bytes.Buffer
	out.WriteString(magic)
	w := compression.NewZstdWriter(&out)
	if _, err := io.WriteString(w, plain); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return out.String()
}

// file is a file that does not repeat itself.
func file(n int) []byte {
	rng := rand.New(rand.NewPCG(uint64(n), 2))
	var b []byte
	for len(b) < n {
		b = fmt.Appendf(b, `{"id":%d,"name":"%x"}`, rng.Uint32(), rng.Uint64())
	}
	return b[:n]
}

// numbers is a packed array of n numbers of 17 bits, each more greater than a random one.
func numbers(n, more int) []byte {
	rng := rand.New(rand.NewPCG(uint64(n), 3))
	b := make([]byte, (17*n+7)/8+8)
	for i := range n {
		v, at := uint64(rng.IntN(1<<16)+more), 17*i
		binary.LittleEndian.PutUint64(b[at/8:], binary.LittleEndian.Uint64(b[at/8:])|v<<(at%8))
	}
	return b
}

// shifted puts a number of some bits before a packed array.
func shifted(b []byte, width int, number uint64) []byte {
	out := make([]byte, len(b)+16)
	number &= 1<<width - 1
	for i, c := range b {
		at := 8*i + width
		word := uint64(c) << (at % 8)
		out[at/8] |= byte(word)
		out[at/8+1] |= byte(word >> 8)
	}
	binary.LittleEndian.PutUint64(out, binary.LittleEndian.Uint64(out)|number)
	return out
}

func edit(b []byte, at, less int, more string) []byte {
	return append(append(bytes.Clone(b[:at]), more...), b[at+less:]...)
}
