package httphead

import "testing"

func TestParseLength(t *testing.T) {
	for text, want := range map[string]int{
		"0": 0, "9": 9, "10": 10, "0042": 42, "99999999999999999999999999": MaxLength,
		"": -1, "-1": -1, "+1": -1, "1 ": -1, "1,1": -1, "0x1": -1, "１": -1, ":": -1, "/": -1,
	} {
		n, ok := ParseLength([]byte(text))
		if ok != (want >= 0) || ok && n != want {
			t.Errorf("%q: %d %v", text, n, ok)
		}
	}
}

func TestSplit(t *testing.T) {
	for _, c := range []struct{ raw, name, value, rest string }{
		{"A: b\r\nC:d\r\n\r\n", "A", "b", "C:d\r\n\r\n"},
		{"C:\td \n\n", "C", "d", "\n"},
		{"\r\n", "", "", ""},
		{"\nA: b\r\n", "", "", ""},
		{": b\r\n", "", "", ""},
		{"A b\r\n", "", "", ""},
		{"A: b", "", "", ""},
		{"", "", "", ""},
	} {
		name, value, rest := Split([]byte(c.raw))
		if string(name) != c.name || string(value) != c.value || string(rest) != c.rest {
			t.Errorf("%q: %q, %q, %q", c.raw, name, value, rest)
		}
	}
}

// TestNoHosts allows every request where no hosts were named.
func TestNoHosts(t *testing.T) {
	for _, target := range []string{"/x", "http://evil.example/x", ""} {
		if !Hosts(nil).AllowRequest([]byte("evil.example"), []byte(target)) {
			t.Errorf("%q is refused", target)
		}
	}
	named := NewHosts([]string{"a.example"})
	for target, want := range map[string]bool{"/x": true, "http://a.example/x": true, "http://evil.example/x": false, "http://evil.example?x": false, "/://evil.example/": true} {
		if named.AllowRequest([]byte("a.example"), []byte(target)) != want {
			t.Errorf("%q: want %v", target, want)
		}
	}
}
