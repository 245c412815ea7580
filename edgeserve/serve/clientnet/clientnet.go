// Package clientnet says what the limits count as one client, and which networks around a client share its limits.
//
// An IPv4 client is its address. An IPv6 client is its /64 network. Providers give a home or a tunnel a /56 or a /48
// (RIPE-690), so that one sender has up to 65,536 such clients. The limits therefore count the /56 and the /48 too.
// IPv6 addresses that carry an IPv4 address belong to the IPv4 client: its owner chooses the other bits.
package clientnet

import (
	"encoding/binary"
	"net/netip"
)

// Client identifies a client. Its zero value is a client without an address, as a peer of a Unix socket.
type Client uint64

// A Client is the first half of an IPv6 address. IPv4 addresses and ::1 have values in ::/31, which RFC 4291 reserves.
const (
	firstIPv4 Client = 1 << 32
	reserved  Client = 2 << 32 // all IPv6 addresses of ::/31, in which only ::1 is in use
)

// Levels is the number of levels of networks: a client, its /56 and its /48.
const Levels = 3

// levelBits are the bits of a Client that a network of a level leaves open.
var levelBits = [Levels]Client{0, 0xff, 0xffff}

// Network is a client, or a network of IPv6 clients.
type Network struct {
	first Client
	level uint64 // as wide as first: a hash of 16 bytes without padding is quick
}

// Of returns the client at an address.
func Of(addr netip.Addr) Client {
	if addr = addr.Unmap(); addr.Is4() {
		b := addr.As4()
		return ipv4(b[:])
	}
	if !addr.IsValid() {
		return 0
	}
	b := addr.As16()
	if inside := carried(&b); inside != nil {
		return ipv4(inside)
	}
	if c := Client(binary.BigEndian.Uint64(b[:8])); c >= reserved {
		return c
	}
	return reserved
}

func ipv4(b []byte) Client { return firstIPv4 | Client(binary.BigEndian.Uint32(b)) }

// carried returns the IPv4 address that an IPv6 address carries, or nil. It changes the address of Teredo.
func carried(b *[16]byte) []byte {
	switch head := binary.BigEndian.Uint64(b[:8]); {
	case head>>48 == 0x2002: // 6to4 (RFC 3056)
		return b[2:6]
	case head>>32 == 0x2001_0000: // Teredo (RFC 4380), which inverts the bits
		for i := range b[12:] {
			b[12+i] ^= 0xff
		}
		return b[12:]
	case head == 0x0064_ff9b_0000_0000 && binary.BigEndian.Uint32(b[8:]) == 0: // NAT64 (RFC 6052)
		return b[12:]
	}
	return nil
}

// Levels returns the number of different networks of a client: 1 for an IPv4 address, Levels for an IPv6 network.
func (c Client) Levels() int {
	if c > reserved {
		return Levels
	}
	return 1
}

// Network returns the network of a level around a client. Level 0 is the client. An IPv4 client is its own network of
// each level.
func (c Client) Network(level int) Network {
	if c <= reserved {
		level = 0
	}
	return Network{c &^ levelBits[level], uint64(level)}
}

// Widest returns the largest network of a client that counts as one sender.
func (c Client) Widest() Network { return c.Network(Levels - 1) }

// Weight is how many times the limit of a client a network may have: 1, 4 for a /56, 16 for a /48.
func (n Network) Weight() int { return 1 << (2 * n.level) }

// Counts counts something for clients and for their networks. Its zero value is empty. Networks without a count take no
// memory.
type Counts struct{ of map[Network]int }

// Add adds n to the counts of a client and its networks.
func (c *Counts) Add(client Client, n int) {
	if c.of == nil {
		c.of = map[Network]int{}
	}
	for level := range client.Levels() {
		network := client.Network(level)
		if c.of[network] += n; c.of[network] == 0 {
			delete(c.of, network)
		}
	}
}

// Of returns the count of a network.
func (c *Counts) Of(n Network) int { return c.of[n] }

// Len returns the number of networks that have a count.
func (c *Counts) Len() int { return len(c.of) }

// Compare compares what two clients have, by the largest networks that they do not share. It returns 0 for one client.
func (c *Counts) Compare(a, b Client) int {
	level := divide(a, b)
	if level < 0 {
		return 0
	}
	return c.of[a.Network(level)] - c.of[b.Network(level)]
}

// divide returns the level of the largest networks that two clients do not share, or -1 for one client.
func divide(a, b Client) int {
	level := Levels - 1
	for level >= 0 && a.Network(level) == b.Network(level) {
		level--
	}
	return level
}
