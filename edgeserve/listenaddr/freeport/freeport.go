// Package freeport lends TCP ports of this machine to tests and benchmarks, for programs that have to know their port
// before they listen. A program that can listen at port 0 and report its port needs no loan.
//
// The kernel gives a port that was found by listening and closing to the next process that asks for any port. A lent
// port is outside of the range that the kernel gives away, and no other borrower gets it.
package freeport

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"testing"
)

// from is the lowest port that is lent: lower ports belong to well-known services.
const from = 20000

// usual are the ports below the kernel's range where the kernel does not report its range. The range begins higher on
// Linux, macOS and Windows. On FreeBSD it begins lower, and a loan only keeps borrowers apart.
const usual = 32768

// enough is a number of ports that suffices for all tests that run on a machine at a time.
const enough = 1000

// errNone says that the ports are used up.
var errNone = errors.New("no port of this machine is free to be lent")

// Loan is a port that no other borrower gets.
type Loan struct {
	Addr string // HOST:PORT

	// guard holds the port's number among the ports of UDP, which nothing else here uses. The kernel releases it
	// however the process ends, so that no loan outlives its borrower.
	guard net.PacketConn
}

// Lend lends a port that is free.
func Lend() (*Loan, error) {
	low, high := lendable(kernelPorts())
	offset := rand.IntN(high - low)
	for i := range high - low {
		addr := fmt.Sprintf("127.0.0.1:%d", low+(offset+i)%(high-low))
		guard, err := net.ListenPacket("udp4", addr)
		if err != nil {
			continue
		}
		if l, err := net.Listen("tcp4", addr); err == nil && l.Close() == nil {
			return &Loan{Addr: addr, guard: guard}, nil
		}
		_ = guard.Close()
	}
	return nil, errNone
}

// Return ends the loan. The program that listened at the port has to have ended.
func (l *Loan) Return() { _ = l.guard.Close() }

// Addr lends an address of this machine until the test ends. Register what ends a server there after
// it, as t.Cleanup goes backward.
func Addr(t testing.TB) string {
	t.Helper()
	l, err := Lend()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Return)
	return l.Addr
}

// kernelPorts returns the first and the last port that the kernel chooses itself, or 0 and 0.
func kernelPorts() (first, last int) {
	b, err := os.ReadFile("/proc/sys/net/ipv4/ip_local_port_range")
	if err != nil {
		return 0, 0
	}
	if _, err := fmt.Sscan(string(b), &first, &last); err != nil {
		return 0, 0
	}
	return first, last
}

// lendable returns the ports to lend, [low, high), which exclude the ports that the kernel chooses itself.
func lendable(first, last int) (low, high int) {
	switch {
	case first >= from+enough:
		return from, first
	case last > 0 && last+1 <= 1<<16-enough:
		return max(last+1, from), 1 << 16
	}
	return from, usual
}
