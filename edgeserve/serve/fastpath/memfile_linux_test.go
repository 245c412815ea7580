// This file tests memory files.

package fastpath

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
)

// openMemfiles counts the memfiles of this process.
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

// A file closes with its last reference, and cannot be acquired once its owner has
// released it.
func TestMemfileClosesWithLastReference(t *testing.T) {
	before := openMemfiles(t)
	f := NewMemfiles().New(make([]byte, minMemfileBody))
	if !f.acquire() {
		t.Fatal("a new file cannot be acquired")
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
	long := make([]byte, minMemfileBody)
	m := NewMemfiles()
	var files [maxMemfiles]*Memfile
	for i := range files {
		if files[i] = m.New(long); files[i] == nil {
			t.Fatalf("only %d files", i)
		}
	}
	if m.New(long) != nil {
		t.Error("more files than the bound")
	}
	files[0].Release()
	if files[0] = m.New(long); files[0] == nil {
		t.Error("a released file leaves no room")
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

// A write has the same result with a file, a closed file and none.
func TestWriteFromMemfile(t *testing.T) {
	head, body := []byte("head"), bytes.Repeat([]byte("0123456789abcdef"), minMemfileBody/16)
	closedFile, openFile := NewMemfiles().New(body), NewMemfiles().New(body)
	closedFile.Release()
	defer openFile.Release()
	for name, f := range map[string]*Memfile{"open": openFile, "closed": closedFile, "none": nil} {
		t.Run(name, func(t *testing.T) {
			server, client := connected(t)
			for range 3 {
				n, _ := tryWrite(server.fd, head, body, f)
				got := make([]byte, len(head)+len(body))
				if n != len(got) {
					t.Fatalf("%d bytes are sent, want %d", n, len(got))
				}
				if _, err := io.ReadFull(client, got); err != nil || string(got) != string(head)+string(body) {
					t.Fatalf("%d bytes arrive, %v", len(got), err)
				}
			}
			if f != nil && f.refs.Load() > 1 {
				t.Errorf("%d references", f.refs.Load())
			}
		})
	}
}

// The bytes that a write reports are those that arrive, also after a partial sendfile.
func TestPartialWriteFromMemfile(t *testing.T) {
	var head, body []byte
	for i := range 1000 {
		head = fmt.Appendf(head, "%c", 'a'+i%26)
	}
	for i := range 100_000 {
		body = fmt.Appendf(body, "%06d", i)
	}
	f := NewMemfiles().New(body)
	defer f.Release()
	server, client := connected(t)
	if err := shrinkSendBuffer(server.fd); err != nil {
		t.Fatal(err)
	}
	var want []byte
	parts := 0
	for full := 0; full < 3; {
		n, _ := tryWrite(server.fd, head, body, f)
		want = append(want, append(bytes.Clone(head), body...)[:n]...)
		switch {
		case n == 0:
			full++
		case n > len(head) && n < len(head)+len(body):
			parts++
		}
	}
	if parts == 0 {
		t.Error("no file was sent in part")
	}
	_ = server.Close()
	if got, err := io.ReadAll(client); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes arrive of %d, %v", len(got), len(want), err)
	}
}
