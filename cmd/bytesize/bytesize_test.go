package bytesize

import "testing"

func TestParse(t *testing.T) {
	for text, want := range map[string]int64{
		"1": 1, "262144": 1 << 18, "64KiB": 64 << 10, "256MiB": 256 << 20, "256 MiB": 256 << 20, "1GiB": 1 << 30, "8388607TiB": 8388607 << 40, "9223372036854775807": 1<<63 - 1,
		"": 0, "0": 0, "-1": 0, "1.5GiB": 0, "MiB": 0, "1MB": 0, "8388608TiB": 0, "9223372036854775808": 0, "x": 0,
	} {
		if got, ok := Parse(text); ok != (want > 0) || ok && got != want {
			t.Errorf("%q is %d, %t", text, got, ok)
		}
	}
}
