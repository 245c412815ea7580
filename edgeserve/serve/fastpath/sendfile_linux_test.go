package fastpath

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"contentedge/edgeserve/serve/bodies"
)

const memfileBody = 16 << 10 // a body that is long enough for a memory file

// A write has the same result with a file, a closed file and none.
func TestWriteFromMemfile(t *testing.T) {
	head, body := []byte("head"), bytes.Repeat([]byte("0123456789abcdef"), memfileBody/16)
	closedFile, openFile := bodies.NewMemfiles().New(body), bodies.NewMemfiles().New(body)
	closedFile.Release()
	for name, f := range map[string]*bodies.Memfile{"open": openFile, "closed": closedFile, "none": nil} {
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
		})
	}
	if openFile.Release(); openFile.Acquire() {
		t.Error("a write has kept its reference")
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
	f := bodies.NewMemfiles().New(body)
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
