package respond

import "testing"

// These are the published XXH64 of both texts.
func TestQuickTag(t *testing.T) {
	for body, want := range map[string]string{
		"":  `"70bbN1HY6Zk"`,
		"a": `"0k7E8amMbls"`,
	} {
		if got := string(quickTag([]byte(body))); got != want {
			t.Errorf("%q: got %s, want %s", body, got, want)
		}
	}
}

func BenchmarkQuickTag(b *testing.B) {
	body := make([]byte, 12<<10)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		quickTag(body)
	}
}
