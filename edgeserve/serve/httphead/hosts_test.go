package httphead

import "testing"

func TestHostsAllow(t *testing.T) {
	named := NewHosts([]string{"Preview.Example", "2001:db8::1"})
	for host, want := range map[string]bool{
		"localhost": true, "LOCALHOST:8080": true, "localhost.": true, "site.localhost:1": true,
		"127.0.0.1": true, "127.9.9.9:8080": true, "[::1]": true, "[::1]:8080": true, "[::ffff:127.0.0.1]:1": true,
		"192.0.2.7": true, "192.0.2.7:99": true, "128.0.0.1": true, "[2001:db8::99]": true, "[::ffff:192.0.2.7]": true,
		"preview.example": true, "PREVIEW.example.:8080": true, "[2001:DB8:0::1]:80": true,

		"": false, ":8080": false, "a.preview.example": false, "xlocalhost": false, "localhost.evil.example": false,
		"127.0.0.1.evil.example": false, "127.0.0.1.": true, "192.0.2.8.nip.example": false, "0x7f000001": false, "0.0.0.0:8080": false, "[::]": false, "2130706433": false,
	} {
		if got := named.allow(host); got != want {
			t.Errorf("%q: %v", host, got)
		}
		if !NewHosts([]string{AnyHost}).allow(host) {
			t.Errorf("%q is not any host", host)
		}
	}
}
