package listenaddr

import (
	"strings"
	"testing"
)

// TestListenaddr shows which addresses are valid, and what is said of the others.
func TestListenaddr(t *testing.T) {
	for addr, want := range map[string]string{ // "": valid
		"127.0.0.1:8080": "", ":8080": "", "0.0.0.0:0": "", "[::1]:80": "", "[::]:80": "", "[fe80::1%eth0]:80": "", "localhost:80": "",
		"edge.example.org:80": "", "127.0.0.1:http": "",
		"": "missing port", "8080": "missing port", "localhost": "missing port", "::1:80": "too many colons", "[::1]": "missing port",
		"127.0.0.1:": "port 0 takes a free one", "127.0.0.1:65536": "from 0 to 65535", "127.0.0.1:-1": "from 0 to 65535", ":99999": "from 0 to 65535",
		"127.0.0.1:nothing": "from 0 to 65535", "256.1.1.1:80": `"256.1.1.1" is not an IP address`, "1.2.3:80": "is not an IP address", "[1::2::3]:80": "is not an IP address",
		"http://127.0.0.1:80": "too many colons",
	} {
		err := Check(addr)
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), addr)) {
			t.Errorf("%q: %v", addr, err)
		}
	}
}
