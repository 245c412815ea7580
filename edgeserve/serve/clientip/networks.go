// This file reads networks as operators write them, and finds addresses in them.

package clientip

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// words are names for networks that many sites have.
var words = map[string][]string{
	"loopback": {"127.0.0.0/8", "::1/128"},
	"private":  {"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"}, // RFC 1918, RFC 4193
}

// unixPeers is the word for the peers of Unix sockets, which have no address.
const unixPeers = "unix"

// Networks is a set of addresses. Its zero value is empty.
type Networks struct {
	ranges []addrRange // sorted, without overlaps
	unix   bool        // it has the peers of Unix sockets
}

type addrRange struct{ first, last netip.Addr }

// ParseNetworks reads networks: each is ADDRESS/BITS, an address, loopback, private, or unix. It reports every other
// text, and a network of all addresses.
func ParseNetworks(texts []string) (Networks, error) {
	var n Networks
	var errs []error
	for _, text := range texts {
		if strings.EqualFold(text, unixPeers) {
			n.unix = true
			continue
		}
		members, known := words[strings.ToLower(text)]
		if !known {
			members = []string{text}
		}
		for _, member := range members {
			p, err := parsePrefix(member)
			if err != nil {
				errs = append(errs, err)
				continue
			}
			n.ranges = append(n.ranges, addrRange{p.Addr(), lastOf(p)})
		}
	}
	n.merge()
	return n, errors.Join(errs...)
}

func parsePrefix(text string) (netip.Prefix, error) {
	var p netip.Prefix
	if addr, err := netip.ParseAddr(text); err == nil && addr.Zone() == "" {
		addr = addr.Unmap()
		return netip.PrefixFrom(addr, addr.BitLen()), nil
	}
	p, err := netip.ParsePrefix(text)
	if err != nil {
		return p, fmt.Errorf("%q is not a network: write ADDRESS/BITS as 10.0.0.0/8 or 2001:db8::/32, an address, loopback, private or unix", text)
	}
	if addr := p.Addr(); addr.Is4In6() && p.Bits() >= 96 {
		p = netip.PrefixFrom(addr.Unmap(), p.Bits()-96)
	}
	if p.Bits() == 0 {
		return p, fmt.Errorf("the network %q has every address: name the networks that are meant", text)
	}
	if p != p.Masked() {
		return p, fmt.Errorf("the network %q has bits set after its length: write %s, or only the address", text, p.Masked())
	}
	return p, nil
}

// lastOf returns the last address of a network.
func lastOf(p netip.Prefix) netip.Addr {
	b := p.Addr().AsSlice()
	for bit := p.Bits(); bit < 8*len(b); bit++ {
		b[bit/8] |= 0x80 >> (bit % 8)
	}
	last, _ := netip.AddrFromSlice(b)
	return last
}

// merge sorts the ranges and joins overlapping ranges.
func (n *Networks) merge() {
	slices.SortFunc(n.ranges, func(a, b addrRange) int { return a.first.Compare(b.first) })
	merged := n.ranges[:0]
	for _, r := range n.ranges {
		if k := len(merged) - 1; k >= 0 && r.first.Compare(merged[k].last) <= 0 {
			if r.last.Compare(merged[k].last) > 0 {
				merged[k].last = r.last
			}
			continue
		}
		merged = append(merged, r)
	}
	n.ranges = merged
}

// IsEmpty reports whether the set has no addresses.
func (n *Networks) IsEmpty() bool { return len(n.ranges) == 0 && !n.unix }

// Contains reports whether an address is in the set. An IPv4-mapped address is its IPv4 address; a zone does not count.
// The zero address represents a peer of a Unix socket.
func (n *Networks) Contains(addr netip.Addr) bool {
	if !addr.IsValid() {
		return n.unix
	}
	addr = bare(addr)
	i, found := slices.BinarySearchFunc(n.ranges, addr, func(r addrRange, a netip.Addr) int { return r.first.Compare(a) })
	return found || i > 0 && addr.Compare(n.ranges[i-1].last) <= 0
}

// bare returns an address without the ways to write it twice: IPv4 in IPv6, and zones, which are names of
// interfaces of another machine.
func bare(addr netip.Addr) netip.Addr { return addr.WithZone("").Unmap() }
