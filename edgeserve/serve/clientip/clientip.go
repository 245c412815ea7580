// Package clientip finds the address of a request's client: the TCP peer or, if the peer is a trusted proxy, the
// address that the proxies report in one header field.
//
// Each proxy appends the address of its own peer, so the field reads from right to left, from the nearest proxy to the
// client. The first address that does not belong to a trusted proxy is the client. Text to the left came from the
// client, who may have written anything. The walk also ends at a text that is not an address, at `unknown` and `_name`
// of RFC 7239, and after maxHops addresses. The client is then the last trusted proxy.
//
// Both adapters call Finder.Find with the head as received, so both have the same result.
package clientip

import (
	"bytes"
	"net/netip"
	"slices"

	"contentedge/edgeserve/serve/httphead"
	"contentedge/edgeserve/wire/httpfield"
)

const (
	maxHops  = 32 // more proxies than any request passes; empty elements count
	maxLines = 8  // field lines that are read, from the last one: a few proxies add lines of their own
	maxNode  = 80 // bytes of an address with brackets, zone and port
)

// Finder finds the addresses of clients. A nil Finder returns the peer.
type Finder struct {
	trusted Networks
	field   string
	last    func(list []byte) (rest, element []byte, more bool)
	read    func(element []byte) (netip.Addr, bool)
}

// NewFinder returns a Finder that reads a header field, given in any case, of requests from the trusted networks. It
// returns nil without trusted networks.
func NewFinder(trusted Networks, field string) *Finder {
	if trusted.IsEmpty() {
		return nil
	}
	f := &Finder{trusted: trusted, field: field, last: lastOfList, read: parseNode}
	switch {
	case httpfield.FoldEqual([]byte(field), httpfield.Forwarded):
		f.last, f.read = lastOfForwarded, parseForwarded
	case httpfield.FoldEqual([]byte(field), httpfield.CloudFrontViewer):
		f.read = parseWithPort
	}
	return f
}

// Find returns the client of a request from a peer, without a zone, IPv4 as IPv4. A peer of a Unix socket
// has the zero address. head is the header block as received.
func (f *Finder) Find(peer netip.Addr, head []byte) netip.Addr {
	client := bare(peer)
	if f == nil || !f.trusted.Contains(client) {
		return client
	}
	var lines [maxLines][]byte
	n := f.collect(head, &lines)
	hops := 0
	for _, list := range slices.Backward(lines[:n]) {
		for more := true; more; {
			var element []byte
			if hops++; hops > maxHops {
				return client
			}
			list, element, more = f.last(list)
			if element = httpfield.TrimSpace(element); len(element) == 0 {
				continue
			}
			addr, ok := f.read(element)
			if !ok {
				return client
			}
			if client = addr; !f.trusted.Contains(addr) {
				return client
			}
		}
	}
	return client
}

// collect returns the last lines of the field, in order.
func (f *Finder) collect(head []byte, lines *[maxLines][]byte) (n int) {
	for {
		name, value, rest := httphead.Split(head)
		if name == nil {
			return n
		}
		head = rest
		if !httpfield.FoldEqual(name, f.field) {
			continue
		}
		if n == maxLines {
			copy(lines[:], lines[1:])
			n--
		}
		lines[n] = value
		n++
	}
}

// lastOfList cuts the last element off a list. more reports whether rest has another one.
func lastOfList(list []byte) (rest, element []byte, more bool) {
	comma := bytes.LastIndexByte(list, ',')
	if comma < 0 {
		return nil, list, false
	}
	return list[:comma], list[comma+1:], true
}

// parseNode reads an address: of IPv4 or IPv6, an IPv6 address also in brackets, each with or without a
// port.
func parseNode(b []byte) (netip.Addr, bool) {
	if len(b) > maxNode {
		return netip.Addr{}, false
	}
	if b[0] == '[' {
		end := bytes.IndexByte(b, ']')
		if end < 0 || !isPort(b[end+1:]) || bytes.IndexByte(b[:end], ':') < 0 {
			return netip.Addr{}, false
		}
		return parseAddr(b[1:end])
	}
	if colon := bytes.IndexByte(b, ':'); colon >= 0 && bytes.IndexByte(b[colon+1:], ':') < 0 {
		if !isPort(b[colon:]) {
			return netip.Addr{}, false
		}
		b = b[:colon]
	}
	return parseAddr(b)
}

// parseWithPort reads an address with a port, which IPv6 addresses have without brackets.
func parseWithPort(b []byte) (netip.Addr, bool) {
	colon := bytes.LastIndexByte(b, ':')
	if len(b) > maxNode || colon < 0 || !isPort(b[colon:]) {
		return netip.Addr{}, false
	}
	return parseAddr(bytes.TrimSuffix(bytes.TrimPrefix(b[:colon], []byte("[")), []byte("]")))
}

const maxPort = 32 // bytes of a port: five digits, or an obfuscated name

// isPort reports whether b is empty, or a colon and a port: a number, or `_name` of RFC 7239.
func isPort(b []byte) bool {
	if len(b) == 0 {
		return true
	}
	if b[0] != ':' || len(b) < 2 || len(b) > maxPort {
		return false
	}
	if b[1] == '_' {
		return httpfield.IsToken(b[1:])
	}
	for _, c := range b[1:] {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(b) <= len(":65535")
}

// parseAddr reads an address without a port. IPv4 addresses, the most frequent ones, take no memory.
func parseAddr(b []byte) (netip.Addr, bool) {
	if addr, ok := parse4(b); ok {
		return addr, true
	}
	addr, err := netip.ParseAddr(string(b))
	return bare(addr), err == nil
}

func parse4(b []byte) (netip.Addr, bool) {
	var four [4]byte
	for i := range four {
		n, digits := 0, 0
		for digits < len(b) && digits < 3 && b[digits] >= '0' && b[digits] <= '9' {
			n = 10*n + int(b[digits]-'0')
			digits++
		}
		if digits == 0 || n > 255 || digits > 1 && b[0] == '0' {
			return netip.Addr{}, false
		}
		four[i], b = byte(n), b[digits:]
		if i < 3 {
			if len(b) == 0 || b[0] != '.' {
				return netip.Addr{}, false
			}
			b = b[1:]
		}
	}
	return netip.AddrFrom4(four), len(b) == 0
}
