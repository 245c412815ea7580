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

func TestFormat(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 8 << 30: "8.0 GiB", 3 << 50: "3072.0 TiB"} {
		if got := Format(n); got != want {
			t.Errorf("%d: got %s, want %s", n, got, want)
		}
	}
}

func TestFlag(t *testing.T) {
	tests := []struct {
		in   string
		want int64 // 0: refused
	}{
		{"1", 1}, {"1024", 1024}, {"2KiB", 2048}, {"2 MiB", 2 << 20}, {"8GiB", 8 << 30}, {"1TiB", 1 << 40},
		{"", 0}, {"0", 0}, {"-1", 0}, {"1.5GiB", 0}, {"8GB", 0}, {"9999999999TiB", 0}, {"KiB", 0},
	}
	for _, tt := range tests {
		var n int64
		if err := Flag(&n)(tt.in); (err == nil) != (tt.want > 0) || n != tt.want {
			t.Errorf("%q: got %d, %v", tt.in, n, err)
		}
	}
}
