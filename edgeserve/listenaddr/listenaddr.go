// Package listenaddr reads the addresses that command lines name to listen at.
package listenaddr

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
)

// Check gives an error if an address is not HOST:PORT or :PORT, on whatever machine. A
// host is an IP address or a name, a port a number or the name of a service.
func Check(addr string) error {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		text := err.Error()
		if e, ok := errors.AsType[*net.AddrError](err); ok {
			text = e.Err
		}
		return fmt.Errorf("the address %q is not HOST:PORT: %s", addr, text)
	}
	if port == "" {
		return fmt.Errorf("the address %q has no port: port 0 takes a free one", addr)
	}
	if _, err := net.LookupPort("tcp", port); err != nil {
		return fmt.Errorf("the address %q has no valid port: it is a number from 0 to 65535", addr)
	}
	_, err = netip.ParseAddr(host)
	if host != "" && err != nil && (strings.ContainsRune(host, ':') || strings.Trim(host, "0123456789.") == "") {
		return fmt.Errorf("the address %q has no valid host: %q is not an IP address", addr, host)
	}
	return nil
}

// Network is the network for an address of Check. Package net takes 0.0.0.0 for all
// addresses of both families.
func Network(addr string) string {
	host, _, err := net.SplitHostPort(addr)
	if ip, e := netip.ParseAddr(host); err == nil && e == nil && ip.Is4() {
		return "tcp4"
	}
	return "tcp"
}
