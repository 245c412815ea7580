// This file tests numbers: valid texts, integers and order.

package analysis

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

func TestParseNumber(t *testing.T) {
	tests := []struct {
		text  string
		f     float64
		i     int64
		isInt bool
	}{
		{"0", 0, 0, true},
		{"-0", math.Copysign(0, -1), 0, true},
		{"0e999999999999999999999", 0, 0, true},
		{"10", 10, 10, true},
		{"+5", 5, 5, true},
		{"-5", -5, -5, true},
		{"007", 7, 7, true},
		{"1.0", 1, 1, true},
		{"1.", 1, 1, true},
		{".5", 0.5, 0, false},
		{"1e3", 1000, 1000, true},
		{"1.5E+1", 15, 15, true},
		{"1500e-2", 15, 15, true},
		{"1505e-2", 15.05, 0, false},
		{"0.001e3", 1, 1, true},
		{"1.5", 1.5, 0, false},
		{"9223372036854775807", 9223372036854775807, math.MaxInt64, true},
		{"-9223372036854775808", -9223372036854775808, math.MinInt64, true},
		{"9223372036854775808", 9223372036854775808, 0, false},
		{"-9223372036854775809", -9223372036854775808, 0, false},
		{"9007199254740993", 9007199254740992, 9007199254740993, true},
		{"18446744073709551617", 18446744073709551617, 0, false},
		{"1e18", 1e18, 1e18, true},
		{"1e19", 1e19, 0, false},
		{"1e999999999", math.Inf(1), 0, false},
		{"-1e999999999", math.Inf(-1), 0, false},
		{"1e-999999999", 0, 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			f, i, isInt, ok := ParseNumber(tt.text)
			if !ok || f != tt.f || i != tt.i && isInt || isInt != tt.isInt {
				t.Errorf("got %v %v %v %v, want %v %v %v", f, i, isInt, ok, tt.f, tt.i, tt.isInt)
			}
		})
	}
}

func TestParseNumberRefuses(t *testing.T) {
	for _, text := range []string{"", "-", "+", ".", "e5", "1e", "1e+", "1e1.5", "--1", "1-", " 1", "1 ",
		"1_000", "0x10", "1f", "NaN", "Infinity", "inf", "true", "abc", "1.2.3", "٣"} {
		if _, _, _, ok := ParseNumber(text); ok {
			t.Errorf("ParseNumber(%q) is a number", text)
		}
	}
}

func TestParseDouble(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		in   string
		want float64
		ok   bool
	}{
		{"1", 1, true},
		{" 1.5\n", 1.5, true},
		{".5", 0.5, true},
		{"5.", 5, true},
		{"1e2", 100, true},
		{"1e999", inf, true},
		{"-1e999", -inf, true},
		{"3f", 3, true},
		{"3D", 3, true},
		{"0x1p3", 8, true},
		{"Infinity", inf, true},
		{"+Infinity", inf, true},
		{"-Infinity", -inf, true},
		{"--Infinity", 0, false},
		{"infinity", 0, false},
		{"Inf", 0, false},
		{"nan", 0, false},
		{"+-NaN", 0, false},
		{"1_0", 0, false},
		{"0x10", 0, false},
		{"d", 0, false},
		{"1fd", 0, false},
		{"", 0, false},
		{"AUTO", 0, false},
	} {
		got, ok := ParseDouble(c.in, 64)
		if ok != c.ok || ok && got != c.want {
			t.Errorf("%q: got %v, %v", c.in, got, ok)
		}
	}
	if f, ok := ParseDouble("-NaN", 64); !ok || !math.IsNaN(f) {
		t.Errorf("-NaN: got %v, %v", f, ok)
	}
}

func TestCompareNumbers(t *testing.T) {
	// Each entry lists texts of one value; the entries ascend.
	order := [][]string{
		{"x", ""},
		{"-1e999999999"},
		{"-1e400", "-10e399"},
		{"-9007199254740993", "-9007199254740993.0"},
		{"-9007199254740992"},
		{"-1.5", "-15e-1", "-0.15e1"},
		{"-1", "-1.000", "-10e-1"},
		{"-1e-999999999"},
		{"0", "-0", "0.0", "0e5", "-0.00e-7", "00"},
		{"1e-999999999"},
		{"0.1", "1e-1", ".1", "0.10"},
		{"0.10000000000000000001"},
		{"0.99"},
		{"1", "1.0", "100e-2", "0.01e2", "+1"},
		{"9"},
		{"10", "1e1", "1.0E+1"},
		{"10.01"},
		{"9007199254740992"},
		{"9007199254740993", "9.007199254740993e15"},
		{"1e308"},
		{"1e999999999", "10e999999998"},
		{"1e9999999999999999999999", "1e9223372036854775807"},
	}
	for i, as := range order {
		for j, bs := range order {
			want := min(max(i-j, -1), 1)
			for _, a := range as {
				for _, b := range bs {
					if got := CompareNumbers(a, b); got != want {
						t.Errorf("CompareNumbers(%q, %q) = %d, want %d", a, b, got, want)
					}
				}
			}
		}
	}
}

// TestCompareNumbersRandom compares with math/big on random texts.
func TestCompareNumbersRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	digits := func(n int) string {
		return strings.Map(func(rune) rune { return rune('0' + r.IntN(3)*r.IntN(5)) }, strings.Repeat("0", n))
	}
	number := func() string {
		s := digits(1 + r.IntN(4))
		if r.IntN(2) == 0 {
			s += "." + digits(1+r.IntN(4))
		}
		if r.IntN(2) == 0 {
			s += "e" + strconv.Itoa(r.IntN(9)-4)
		}
		return []string{"", "-"}[r.IntN(2)] + s
	}
	for range 20000 {
		a, b := number(), number()
		x, _ := new(big.Rat).SetString(a)
		y, _ := new(big.Rat).SetString(b)
		if got, want := CompareNumbers(a, b), x.Cmp(y); got != want {
			t.Fatalf("CompareNumbers(%q, %q) = %d, want %d", a, b, got, want)
		}
		_, i, isInt, _ := ParseNumber(a)
		if isInt != x.IsInt() || isInt && x.Cmp(new(big.Rat).SetInt64(i)) != 0 {
			t.Fatalf("ParseNumber(%q) = %d, %v", a, i, isInt)
		}
	}
}

func TestCompareNumbersDoesNotAllocate(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() { CompareNumbers("1e999999999", "-12.50e-7") }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestReadValues checks that only the text of a value decides how it parses as an integer,
// a number and a boolean.
func TestReadValues(t *testing.T) {
	for _, tt := range []struct {
		text   string
		long   any
		double any
	}{
		{"204800", int64(204800), 204800.0}, {"-3", int64(-3), -3.0}, {"1.0", int64(1), 1.0}, {"1e3", int64(1000), 1000.0},
		{"1.9", int64(1), 1.9}, {"-1.9", int64(-1), -1.9}, {"-0.5", int64(0), -0.5}, {"0.99999999999999999999", int64(0), 1.0}, {"-0", int64(0), 0.0},
		{"9007199254740993.5", int64(9007199254740993), 9007199254740994.0}, {"9223372036854775807.5", int64(math.MaxInt64), 0x1p63}, {"-9223372036854775808", int64(math.MinInt64), -0x1p63},
		{"9223372036854775808", nil, 0x1p63}, {"1e400", nil, nil}, {"1e-400", int64(0), 0.0}, {"", nil, nil}, {"12 kB", nil, nil}, {"true", nil, nil}, {"0x10", nil, nil},
	} {
		long, ok := ReadLong(tt.text)
		if ok != (tt.long != nil) || ok && long != tt.long {
			t.Errorf("%q as an integer: %d %t, want %v", tt.text, long, ok, tt.long)
		}
		double, ok := ReadDouble(tt.text)
		if ok != (tt.double != nil) || ok && (double != tt.double || math.Signbit(double) != (tt.double.(float64) < 0)) {
			t.Errorf("%q as a number: %g %t, want %v", tt.text, double, ok, tt.double)
		}
	}
	for text, want := range map[string]int64{"true": 1, "false": 0} {
		if n, ok := ReadBool(text); n != want || !ok {
			t.Errorf("%q: %d %t", text, n, ok)
		}
	}
	if _, ok := ReadBool("True"); ok {
		t.Error("True is a word")
	}
}
