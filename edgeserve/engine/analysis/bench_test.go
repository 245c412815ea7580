// These benchmarks measure tokens per second in writing systems that take different paths
// through the tokenizer.

package analysis

import (
	"strings"
	"testing"
)

func BenchmarkTokenizer(b *testing.B) {
	for _, bench := range []struct{ name, text string }{
		{"ascii", "Install the package: `npm install @scope/package --save-dev`, then run v12.18.0 of node.js. "},
		{"latin", "Überprüfe die größten Übertragungen, déjà vu à l'hôtel près de la forêt. "},
		{"cyrillic", "Показать список всех установленных пакетов, отсортированный по имени. "},
		{"japanese", "東京タワーの高さを表示する。ひらがなとカタカナ、漢字。"},
		{"korean", "설치된 모든 패키지의 목록을 이름순으로 표시합니다. "},
		{"emoji", "👩‍👩‍👧 👍🏽 🇯🇵 #️⃣ © "},
		{"joiners", strings.Repeat("_", 4096)},
	} {
		b.Run(bench.name, func(b *testing.B) {
			text := []byte(strings.Repeat(bench.text, 1+8192/len(bench.text)))
			var t Tokenizer
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				t.Reset(text)
				for t.Next() {
					_ = t.Term()
				}
			}
		})
	}
}

func BenchmarkParseDate(b *testing.B) {
	for _, text := range []string{"2021-04-23T10:15:30.123Z", "2021-04-23||-1M/d"} {
		b.Run(text, func(b *testing.B) {
			for b.Loop() {
				_, _ = ParseDate(text, true, nil)
			}
		})
	}
}

func BenchmarkCompareNumbers(b *testing.B) {
	for b.Loop() {
		_ = CompareNumbers("1234567.25", "1234567.5e0")
	}
}
