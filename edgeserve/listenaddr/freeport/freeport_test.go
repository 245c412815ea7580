package freeport

import (
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestFreePort: a lent port is free and no other borrower gets it, in this process or another one, until it is
// returned; the kernel gives it to nobody who asks for any port.
func TestFreePort(t *testing.T) {
	if os.Getenv("TEST_CONTENTEDGE_BORROW") != "" {
		os.Stdout.WriteString("lent " + Addr(t) + "\n")
		return
	}
	first, last := kernelPorts()
	low, high := lendable(first, last)
	lent := map[string]bool{}
	for range 200 {
		addr := Addr(t)
		if lent[addr] {
			t.Fatalf("%s is lent twice", addr)
		}
		lent[addr] = true
		l, err := net.Listen("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		if port := l.Addr().(*net.TCPAddr).Port; port < low || port >= high {
			t.Errorf("port %d is lent, which is not of %d to %d", port, low, high-1)
		}
		l.Close()
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestFreePort$", "-test.count=20")
	cmd.Env = append(os.Environ(), "TEST_CONTENTEDGE_BORROW=yes")
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Count(string(out), "lent ") != 20 {
		t.Fatalf("%v\n%s", err, out)
	}
	for addr := range lent {
		if strings.Contains(string(out), "lent "+addr+"\n") {
			t.Errorf("%s is lent to two processes", addr)
		}
	}

	l, err := Lend()
	if err != nil {
		t.Fatal(err)
	}
	if second, err := net.ListenPacket("udp4", l.Addr); err == nil {
		second.Close()
		t.Error("a lent port is not held")
	}
	l.Return()
	again, err := net.ListenPacket("udp4", l.Addr)
	if err != nil {
		t.Fatalf("a returned port is still held: %v", err)
	}
	again.Close()
}

func TestLendable(t *testing.T) {
	for _, c := range []struct{ first, last, low, high int }{
		{32768, 60999, 20000, 32768}, // Linux
		{0, 0, 20000, 32768},         // not known
		{49152, 65535, 20000, 49152},
		{1024, 60999, 61000, 65536},
		{1024, 15000, 20000, 65536},
		{20500, 60999, 61000, 65536},
		{1024, 65535, 20000, 32768}, // none is left
	} {
		if low, high := lendable(c.first, c.last); low != c.low || high != c.high {
			t.Errorf("beside %d to %d: %d to %d, want %d to %d", c.first, c.last, low, high, c.low, c.high)
		}
	}
}
