package wire

import (
	"bytes"
	"io"
	"net"
	"os"
	"strings"
	"testing"
)

// openMemfiles counts those of this process.
func openMemfiles(t *testing.T) (n int) {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if name, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && strings.HasPrefix(name, "/memfd:body") {
			n++
		}
	}
	return n
}

// A file is there until its last user has let go of it, and nobody new gets it after its
// maker has.
func TestMemfileEndsWithItsLastUser(t *testing.T) {
	before := openMemfiles(t)
	f := NewMemfiles().New(make([]byte, memfileFrom))
	if !f.acquire() {
		t.Fatal("a new file is gone")
	}
	f.Release()
	if got := openMemfiles(t); got != before+1 {
		t.Errorf("%d files are open while one is used, before %d", got, before)
	}
	f.Release()
	if got := openMemfiles(t); got != before || f.acquire() {
		t.Errorf("%d files are open, before %d", got, before)
	}
}

func TestMemfilesAreBounded(t *testing.T) {
	before := openMemfiles(t)
	long := make([]byte, memfileFrom)
	m := NewMemfiles()
	var files [maxMemfiles]*Memfile
	for i := range files {
		if files[i] = m.New(long); files[i] == nil {
			t.Fatalf("there is room for %d only", i)
		}
	}
	if m.New(long) != nil {
		t.Error("there is no bound")
	}
	files[0].Release()
	if files[0] = m.New(long); files[0] == nil {
		t.Error("there is no room where one has gone")
	}
	for _, f := range files {
		f.Release()
	}
	if short := m.New(long[1:]); short != nil {
		t.Error("a short body has a file")
	}
	if got := openMemfiles(t); got != before {
		t.Errorf("%d files are open, before %d", got, before)
	}
}

// Whether the file of a body is there, or gone meanwhile, the answer is the same, and
// leaves in one piece.
func TestSentFromMemfile(t *testing.T) {
	head, body := []byte("head"), bytes.Repeat([]byte("0123456789abcdef"), memfileFrom/16)
	gone, there := NewMemfiles().New(body), NewMemfiles().New(body)
	gone.Release()
	defer there.Release()
	for name, f := range map[string]*Memfile{"there": there, "gone": gone, "none": nil} {
		t.Run(name, func(t *testing.T) {
			ln := loopback(t)
			client, err := net.Dial("tcp", ln.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close()
			server, err := ln.Accept()
			if err != nil {
				t.Fatal(err)
			}
			for range 3 {
				n := 0
				if err := rawOf(server).Write(func(fd uintptr) bool {
					n = writeDirect(fd, head, body, f)
					return true
				}); err != nil || n != len(head)+len(body) {
					t.Fatalf("%d bytes are sent, want %d; %v", n, len(head)+len(body), err)
				}
				got := make([]byte, n)
				if _, err := io.ReadFull(client, got); err != nil || string(got) != string(head)+string(body) {
					t.Fatalf("%d bytes arrive, %v", len(got), err)
				}
			}
			_ = server.Close()
			if f != nil && f.refs.Load() > 1 {
				t.Errorf("%d hold the file", f.refs.Load())
			}
		})
	}
}
