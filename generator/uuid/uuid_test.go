package uuid

import (
	"strings"
	"testing"
)

// TestUUID: the example of RFC 9562 for version 5, and what is a UUID.
func TestUUID(t *testing.T) {
	dns := Space{0x6b, 0xa7, 0xb8, 0x10, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8}
	if got := V5(dns, "www.example.com"); got != "2ed6657d-e927-568b-95e1-2665a8aea6a2" {
		t.Error(got)
	}
	if a, b := Content("site/hello"), Content("site/hello2"); a == b || !Valid(strings.TrimPrefix(a, "Content_")) {
		t.Error(a, b)
	}
	for text, want := range map[string]bool{
		"0b6f2a58-6b0e-4c1a-9f5e-2d8f1c7e4a10": true, "0B6F2A58-6B0E-4C1A-9F5E-2D8F1C7E4A10": true,
		"": false, "0b6f2a58-6b0e-4c1a-9f5e-2d8f1c7e4a1": false, "0b6f2a5806b0e-4c1a-9f5e-2d8f1c7e4a10": false, "0b6f2a58-6b0e-4c1a-9f5e-2d8f1c7e4g10": false,
	} {
		if Valid(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}
