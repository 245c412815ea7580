package portable

import (
	"hash/fnv"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// A function is a function of the package, the same function of package math, and arguments for them.
type function struct {
	name      string
	ours, std func(float64) float64
	argument  func(r *rand.Rand) float64
	exact     func(x float64) *big.Float
	most      float64 // error, in units in the last place
	digest    uint64  // of the bits of a million results, equal on every processor
}

var functions = []function{
	{"Log", Log, math.Log, positive, func(x float64) *big.Float { return bigLog(bigOf(x)) }, 0.51, 0xeb3583240087b652},
	{"Log10", Log10, math.Log10, positive, func(x float64) *big.Float { return new(big.Float).Quo(bigLog(bigOf(x)), bigLog(bigOf(10))) }, 0.51, 0xef4b6b22ba692028},
	{"Log1p", Log1p, math.Log1p, aboveMinusOne, bigLog1p, 0.51, 0xd09f3ea4cfaa5bc0},
	{"Exp", Exp, math.Exp, exponent, func(x float64) *big.Float { return bigExp(bigOf(x)) }, 0.6, 0x4ca16649dab148f4},
}

// positive returns a random positive number: a count, a number near one, or a number of any magnitude.
func positive(r *rand.Rand) float64 {
	switch r.IntN(4) {
	case 0:
		return float64(1 + r.IntN(1<<20))
	case 1:
		return 1 + math.Ldexp(r.Float64()-0.5, -r.IntN(40))
	case 2:
		return float64(1+r.IntN(1000)) / float64(1+r.IntN(1000))
	}
	return math.Float64frombits(r.Uint64N(0x7ff0000000000000-1) + 1)
}

func aboveMinusOne(r *rand.Rand) float64 {
	switch r.IntN(3) {
	case 0:
		return positive(r)
	case 1:
		return math.Ldexp(r.Float64()-0.5, -r.IntN(60))
	}
	return r.Float64() - 1
}

func exponent(r *rand.Rand) float64 {
	switch r.IntN(4) {
	case 0:
		return 750 * (float64(2*r.Float64()) - 1)
	case 1:
		return -50 * r.Float64()
	case 2:
		return math.Ldexp(r.Float64()-0.5, -r.IntN(60))
	}
	return float64(2*r.Float64()) - 1
}

func generator(name string) *rand.Rand { return rand.New(rand.NewPCG(1, uint64(name[len(name)-1]))) }

// TestBits compares a million results with the results that every processor must have.
func TestBits(t *testing.T) {
	for _, f := range functions {
		h, r := fnv.New64a(), generator(f.name)
		for range 1_000_000 {
			bits := math.Float64bits(f.ours(f.argument(r)))
			h.Write([]byte{byte(bits), byte(bits >> 8), byte(bits >> 16), byte(bits >> 24), byte(bits >> 32), byte(bits >> 40), byte(bits >> 48), byte(bits >> 56)})
		}
		if got := h.Sum64(); got != f.digest {
			t.Errorf("%s: the results have the digest %#x, not %#x", f.name, got, f.digest)
		}
	}
}

// TestError limits the errors of results, in units in the last place. It leaves out subnormal numbers:
// package math's logarithms of them are wrong on amd64.
func TestError(t *testing.T) {
	for _, f := range functions {
		r := generator(f.name)
		ours, std := 0.0, 0.0
		for range 10_000 {
			x := f.argument(r)
			got := f.ours(x)
			if math.Abs(x) < 0x1p-1022 || math.Abs(got) < 0x1p-1022 || math.IsInf(got, 0) {
				continue
			}
			exact := f.exact(x)
			if e := units(got, exact); e > ours {
				if ours = e; e > f.most {
					t.Errorf("%s(%v) = %v is %.4f units in the last place off", f.name, x, got, e)
				}
			}
			if v := f.std(x); !math.IsInf(v, 0) { // on amd64 math.Exp overflows too early
				std = max(std, units(v, exact))
			}
		}
		t.Logf("%s: at most %.4f units in the last place off; package math's: %.4f", f.name, ours, std)
	}
}

// TestNear compares many results with package math's.
func TestNear(t *testing.T) {
	for _, f := range functions {
		r := generator(f.name)
		for range 1_000_000 {
			x := f.argument(r)
			got, want := f.ours(x), f.std(x)
			if math.Abs(x) < 0x1p-1022 || math.IsInf(want, 0) {
				continue
			}
			if distance := int64(math.Float64bits(got) - math.Float64bits(want)); distance < -2 || distance > 2 {
				t.Fatalf("%s(%v) = %v, package math's is %v", f.name, x, got, want)
			}
		}
	}
}

// TestPortable shows the values of the functions at the ends of their ranges.
func TestPortable(t *testing.T) {
	inf, nan, zero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	for _, c := range []struct {
		f       func(float64) float64
		x, want float64
	}{
		{Log, 1, 0}, {Log, 0, -inf}, {Log, zero, -inf}, {Log, -1, nan}, {Log, -inf, nan}, {Log, nan, nan}, {Log, inf, inf},
		{Log, math.MaxFloat64, 709.782712893384}, {Log, 5e-324, -744.4400719213812}, {Log, 0x1p-1022, -708.3964185322641},
		{Log10, 1, 0}, {Log10, 0, -inf}, {Log10, -1, nan}, {Log10, nan, nan}, {Log10, inf, inf}, {Log10, 5e-324, -323.3062153431158},
		{Log1p, 0, 0}, {Log1p, zero, zero}, {Log1p, -1, -inf}, {Log1p, -2, nan}, {Log1p, -inf, nan}, {Log1p, nan, nan}, {Log1p, inf, inf},
		{Log1p, 5e-324, 5e-324}, {Log1p, -1e-300, -1e-300}, {Log1p, math.MaxFloat64, 709.782712893384}, {Log1p, 1, math.Ln2},
		{Exp, 0, 1}, {Exp, zero, 1}, {Exp, 1, math.E}, {Exp, nan, nan}, {Exp, inf, inf}, {Exp, -inf, 0}, {Exp, 710, inf}, {Exp, 709.785, inf},
		{Exp, 709.782712893384, 0x1.fffffffffff2ap+1023}, {Exp, -745.13, 5e-324}, {Exp, -745.14, 0}, {Exp, -1e300, 0},
	} {
		if got := c.f(c.x); math.Float64bits(got) != math.Float64bits(c.want) && !(got != got && c.want != c.want) {
			t.Errorf("of %v: %v, not %v", c.x, got, c.want)
		}
	}
	for n, x := 0, 1.0; n <= 22; n, x = n+1, x*10 {
		if Log10(x) != float64(n) {
			t.Errorf("Log10(%v) = %v", x, Log10(x))
		}
	}
}

// units returns how many units in the last place x is off.
func units(x float64, exact *big.Float) float64 {
	off, _ := new(big.Float).Sub(bigOf(x), exact).Float64()
	_, e := math.Frexp(x)
	near, _ := exact.Float64()
	if _, n := math.Frexp(near); n < e {
		e = n
	}
	return math.Abs(math.Ldexp(off, 53-e))
}

const precision = 160

func bigOf(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }

// bigExp divides x by 2 several times, sums the series, and squares the sum as many times.
func bigExp(x *big.Float) *big.Float {
	const times = 20
	x = new(big.Float).SetPrec(2*precision).SetMantExp(x, -times)
	sum, term := bigOf(1).SetPrec(2*precision), bigOf(1).SetPrec(2*precision)
	for n := 1; term.Sign() != 0 && term.MantExp(nil) > -2*precision; n++ {
		term.Quo(term.Mul(term, x), bigOf(float64(n)))
		sum.Add(sum, term)
	}
	for range times {
		sum.Mul(sum, sum)
	}
	return sum
}

func bigLog1p(x float64) *big.Float {
	if math.Abs(x) < 0x1p-40 { // x - x^2/2 + x^3/3 - x^4/4
		sum, power := new(big.Float).SetPrec(precision), bigOf(1)
		for n := 1.0; n <= 4; n++ {
			power.Mul(power, bigOf(x))
			sum.Sub(sum, new(big.Float).Quo(power, bigOf(n)))
			power.Neg(power)
		}
		return sum.Neg(sum)
	}
	return bigLog(new(big.Float).SetPrec(2*precision).Add(bigOf(1), bigOf(x)))
}

// bigLog improves package math's logarithm by Newton's method.
func bigLog(x *big.Float) *big.Float {
	e := x.MantExp(nil)
	m := new(big.Float).SetPrec(2*precision).SetMantExp(x, -e) // from a half to one
	if e == 1 {
		m, e = x, 0
	}
	near, _ := m.Float64()
	y := bigOf(math.Log(near)).SetPrec(2 * precision)
	for range 3 {
		power := bigExp(new(big.Float).Neg(y))
		y.Add(y, new(big.Float).Sub(power.Mul(power, m), bigOf(1)))
	}
	if e != 0 {
		y.Add(y, new(big.Float).Mul(bigLn2, bigOf(float64(e))))
	}
	return y
}

var bigLn2, _ = new(big.Float).SetPrec(precision).SetString("0.693147180559945309417232121458176568075500134360255254120680009493393621969694715605863326996418687")

func BenchmarkFunctions(b *testing.B) {
	for _, f := range functions {
		r := generator(f.name)
		var xs [1024]float64
		for i := range xs {
			xs[i] = f.argument(r)
		}
		for name, of := range map[string]func(float64) float64{"ours": f.ours, "math": f.std} {
			b.Run(f.name+"/"+name, func(b *testing.B) {
				sum, i := 0.0, 0
				for b.Loop() {
					sum += of(xs[i&1023])
					i++
				}
				sink = sum
			})
		}
	}
}

var sink float64
