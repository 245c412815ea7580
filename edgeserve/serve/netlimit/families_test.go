package netlimit

import (
	"net"
	"strings"
	"testing"
)

// TestFamilies: 0.0.0.0 is IPv4 alone, so that another process may have the port of IPv6.
func TestFamilies(t *testing.T) {
	for addr, reaches := range map[string]struct{ four, six bool }{
		"0.0.0.0:0": {true, false}, "127.0.0.1:0": {true, false}, ":0": {true, true}, "[::]:0": {true, true}, "[::1]:0": {false, true},
	} {
		ln, err := Listen(t.Context(), addr, false)
		if err != nil {
			if strings.HasPrefix(addr, "[") {
				continue // a machine without IPv6
			}
			t.Fatal(err)
		}
		_, port, _ := net.SplitHostPort(ln.Addr().String())
		for network, to := range map[string]struct {
			host string
			want bool
		}{"tcp4": {"127.0.0.1", reaches.four}, "tcp6": {"::1", reaches.six && hasIPv6(t)}} {
			c, err := net.Dial(network, net.JoinHostPort(to.host, port))
			if (err == nil) != to.want {
				t.Errorf("%s: dialing %s: %v", addr, to.host, err)
			}
			if err == nil {
				_ = c.Close()
			}
		}
		_ = ln.Close()
	}
}

func hasIPv6(t *testing.T) bool {
	t.Helper()
	ln, err := net.Listen("tcp6", "[::1]:0")
	if err != nil {
		return false
	}
	return ln.Close() == nil
}
