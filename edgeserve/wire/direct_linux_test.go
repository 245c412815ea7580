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
	const room, requests = 4096, 128
	request := fmt.Sprintf("GET /known/3 HTTP/1.1\r\nHost: a\r\nX: %s\r\n\r\n", strings.Repeat("x", 64-39))
	if room%len(request) != 0 {
		t.Fatalf("a request has %d bytes", len(request))
	}
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range pair {
		defer syscall.Close(fd)
	}
	if n, err := syscall.Write(pair[1], bytes.Repeat([]byte(request), requests)); err != nil || n != requests*len(request) {
		t.Fatal(n, err)
	}
	c, _ := wired(config())
	c.raw, c.answers, c.turn = rawStub{}, exact, turn{p: make([]byte, room)}
	if c.arrived(uintptr(pair[0])) {
		t.Fatal("the turn is over")
	}
	answers := make([]byte, 2*requests*len(knownAnswer))
	n, err := syscall.Read(pair[1], answers)
	if err != nil {
		t.Fatal(err)
	}
	if got := bytes.Count(answers[:n], []byte("HTTP/1.1 200 OK")); got != requests {
		t.Errorf("%d answers to %d requests", got, requests)
	}
}
