package contentcoding

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const everything = Set(1<<Gzip | 1<<Zstd | 1<<Brotli)

func choose(available Set, lines ...string) Coding {
	var a Accept
	for _, l := range lines {
		a.Read([]byte(l))
	}
	return a.Choose(available)
}

// Preferred yields what Choose returns for the codings that are left, until Identity.
func TestPreferred(t *testing.T) {
	for accept, want := range map[string][]Coding{
		"gzip, br, zstd":                 {Brotli, Zstd, Gzip, Identity},
		"gzip;q=0.9, br;q=0.8":           {Gzip, Brotli, Identity},
		"br, identity;q=0.7, gzip;q=0.5": {Brotli, Identity},
		"identity;q=0, zstd":             {Zstd, Identity},
		"":                               {Identity},
	} {
		var a Accept
		a.Read([]byte(accept))
		var got []Coding
		for coding := range a.Preferred(everything) {
			if got = append(got, coding); len(got) > int(Count) {
				break // it would never end
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", accept, got, want)
		}
	}
}

// TestContentCoding shows which of the available codings the Accept-Encoding fields of a request select.
func TestContentCoding(t *testing.T) {
	type row struct {
		accept    string
		available Set
		want      Coding
	}
	for _, section := range []struct {
		name string
		rows []row
	}{
		{"the coding that compresses best is taken", []row{
			{"gzip, deflate, br, zstd", everything, Brotli},
			{"gzip, deflate, br, zstd", Set(0).With(Gzip).With(Zstd), Zstd},
			{"gzip, deflate, br, zstd", Set(0).With(Gzip), Gzip},
			{"gzip, deflate, br, zstd", 0, Identity},
			{"gzip", everything, Gzip},
			{"GZip", everything, Gzip},
			{"x-gzip", everything, Gzip},
			{"gzip;q=0.001", everything, Gzip},
		}},
		{"a quality of 0 refuses a coding", []row{
			{"gzip;q=0", everything, Identity},
			{"gzip;q=0.000", everything, Identity},
		}},
		{"a higher quality wins", []row{
			{"br;q=0.5, gzip;q=0.8, zstd;q=0.7", everything, Gzip},
			{"br;q=0.5, gzip", everything, Gzip},
			{" br ; q=1 ,\tgzip\t;\tq=1.000", everything, Brotli},
			{"BR;Q=0.9", everything, Brotli},
		}},
		{"* stands for the codings that are not named", []row{
			{"*", everything, Brotli},
			{"*;q=0", everything, Identity},
			{"*;q=0, gzip", everything, Gzip},
			{"br;q=0, *", everything, Zstd},
		}},
		{"identity counts when it is named", []row{
			{"*;q=0.1, gzip;q=0.5, identity;q=0.7", everything, Identity},
			{"gzip;q=0.5, identity", everything, Identity},
			{"gzip;q=0.5, identity;q=0.5", everything, Gzip},
			{"gzip;q=0.5, identity;q=0.2", everything, Gzip},
			{"gzip;q=0.5, *;q=0.8", Set(0).With(Gzip), Identity},
			{"identity", everything, Identity},
			{"identity;q=0", everything, Identity},
			{"identity;q=0, gzip;q=0.1", everything, Gzip},
			{"identity;q=0, br", Set(0).With(Gzip), Identity},
		}},
		{"a field without a coding asks for none", []row{
			{"", everything, Identity},
			{",,;;, ;q=1", everything, Identity},
		}},
		{"a coding that is named twice is refused if one of them is", []row{
			{"gzip, gzip;q=0", everything, Identity},
			{"gzip;q=0, gzip", everything, Identity},
		}},
		{"an element that cannot be read is skipped", []row{
			{"gzip;q=2", everything, Identity},
			{"gzip;q=1.001", everything, Identity},
			{"gzip;q=0.1234", everything, Identity},
			{"gzip;q=", everything, Identity},
			{"gzip;q=.5", everything, Identity},
			{"gzip;q=abc", everything, Identity},
			{"gzip;q = 1", everything, Identity},
			{"gzip;x=1", everything, Identity},
			{"gzip;q=1;x=1", everything, Identity},
			{"gzip;q=1.", everything, Gzip},
			{"gzip gzip", everything, Identity},
			{"gz\u017fp, \u212a, \xff", everything, Identity},
		}},
		{"a long field is read to its end", []row{
			{strings.Repeat("x", 16000) + ", gzip", everything, Gzip},
			{strings.Repeat("gzip;q=0.5,", 3000), everything, Gzip},
		}},
	} {
		t.Run(section.name, func(t *testing.T) {
			for _, c := range section.rows {
				if got := choose(c.available, c.accept); got != c.want {
					t.Errorf("%.60q of %b: %s, want %s", c.accept, c.available, got, c.want)
				}
			}
		})
	}
	if got := choose(everything); got != Identity {
		t.Errorf("without the header: %s", got)
	}
	if got := choose(everything, "gzip", "br;q=0.5"); got != Gzip {
		t.Errorf("two lines: %s", got)
	}
}

func TestChooseFast(t *testing.T) {
	for accept, want := range map[string]Coding{
		"gzip, deflate, br, zstd": Zstd, "gzip, br": Gzip, "br": Identity, "br, gzip;q=0": Identity, "": Identity, "identity, gzip;q=0.5": Identity,
	} {
		var a Accept
		a.Read([]byte(accept))
		if got := a.ChooseFast(); got != want {
			t.Errorf("%q: %s, want %s", accept, got, want)
		}
	}
}

var element = regexp.MustCompile(`^[ \t]*([^;]*?)[ \t]*(;[ \t]*[qQ]=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)[ \t]*)?$`)

// model follows the RFC rule by rule: acceptable codings with weights. The result is
// the one with the highest weight, the order of Codings breaking ties.
func model(available Set, header string) Coding {
	listed := map[string]float64{}
	for part := range strings.SplitSeq(header, ",") {
		m := element.FindStringSubmatch(part)
		if m == nil {
			continue
		}
		name, weight := strings.ToLower(m[1]), 1.0
		if m[2] != "" {
			weight, _ = strconv.ParseFloat(m[3], 64)
		}
		if name == "x-gzip" {
			name = "gzip"
		}
		if old, twice := listed[name]; !twice || weight < old {
			listed[name] = weight
		}
	}
	weight := func(c Coding) float64 {
		if w, ok := listed[c.String()]; ok {
			return w
		}
		w, ok := listed["*"]
		if !ok && c == Identity {
			return 1e-9 // acceptable, but below every listed coding
		}
		return w
	}
	order := append(slices.Clone(Codings[:]), Identity)
	order = slices.DeleteFunc(order, func(c Coding) bool { return !available.Has(c) || weight(c) == 0 })
	if len(order) == 0 {
		return Identity
	}
	slices.SortStableFunc(order, func(a, b Coding) int {
		return int(1e10*weight(b)) - int(1e10*weight(a))
	})
	return order[0]
}

func TestChooseAgainstModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	pick := func(from ...string) string { return from[rng.IntN(len(from))] }
	for range 50000 {
		var parts []string
		for range rng.IntN(5) {
			parts = append(parts, pick("", " ", "\t")+pick("gzip", "GZIP", "x-gzip", "br", "zstd", "identity", "*", "deflate", "", "g zip")+
				pick("", "", " ")+pick("", "", ";", ";q=0", "; q=0.0", ";q=0.5", ";Q=0.25", ";q=1", ";q=1.000", ";q=1.1", ";q=0.9999", ";q=x", ";q", ";v=1"))
		}
		header, available := strings.Join(parts, ","), everything&Set(rng.IntN(256))
		if got, want := choose(available, header), model(available, header); got != want {
			t.Fatalf("%q of %b: %s, the model says %s", header, available, got, want)
		}
	}
}

func FuzzAcceptEncoding(f *testing.F) {
	for _, s := range []string{"gzip, br;q=0.5, *;q=0", "identity;q=0,zstd", ";;;,,,", "gzip;q=1.0000", "\xff", "x-gzip ;q=0.1,gzip\t"} {
		f.Add(s, byte(everything))
	}
	f.Fuzz(func(t *testing.T, header string, available byte) {
		if strings.ContainsFunc(header, func(r rune) bool { return r < ' ' && r != '\t' || r > '~' }) {
			choose(Set(available), header) // no valid header: it must only not panic
			return
		}
		if got, want := choose(Set(available), header), model(Set(available)&everything, header); got != want && everything.Has(got) {
			t.Fatalf("%q of %b: %s, the model says %s", header, available, got, want)
		}
	})
}

func BenchmarkAccept(b *testing.B) {
	header := []byte("gzip, deflate, br, zstd")
	b.ReportAllocs()
	for b.Loop() {
		var a Accept
		a.Read(header)
		a.Choose(everything)
	}
}
