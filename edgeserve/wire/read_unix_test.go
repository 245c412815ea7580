//go:build unix

package wire

import (
	"bytes"
	"fmt"
	"strings"
	"syscall"
	"testing"
)

// rawStub is a connection that reads are spared on.
type rawStub struct{ syscall.RawConn }

// A read that fills its buffer may have left something, whatever requests end there.
func TestArrivedTakesEverything(t *testing.T) {
	const room, requests = 4096, 256
	request := fmt.Sprintf("GET /known/3 HTTP/1.1\r\nHost: a\r\nX: %s\r\n\r\n", strings.Repeat("x", 64-39))
	if room%len(request) != 0 {
		t.Fatalf("a request has %d bytes", len(request))
	}
	var pipe [2]int
	if err := syscall.Pipe(pipe[:]); err != nil {
		t.Fatal(err)
	}
	for _, fd := range pipe {
		defer syscall.Close(fd)
	}
	if err := syscall.SetNonblock(pipe[0], true); err != nil {
		t.Fatal(err)
	}
	if n, err := syscall.Write(pipe[1], bytes.Repeat([]byte(request), requests)); err != nil || n != requests*len(request) {
		t.Fatal(n, err)
	}
	c, s := wired(config())
	c.raw, c.answers, c.turn = rawStub{}, exact, turn{p: make([]byte, room)}
	if c.arrived(uintptr(pipe[0])) {
		t.Fatal("the turn is over")
	}
	if got := bytes.Count(s.written, []byte("HTTP/1.1 200 OK")); got != requests {
		t.Errorf("%d answers to %d requests", got, requests)
	}
}
