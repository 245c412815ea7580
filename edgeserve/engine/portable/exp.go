// This file computes exponentials.

package portable

import "math"

// eighths are 2^(i/8) as sums of two numbers.
var eighths = [8][2]float64{
	{1, 0},
	{0x1.172b83c7d517bp+0, -0x1.19041b9d78a76p-55},
	{0x1.306fe0a31b715p+0, 0x1.6f46ad23182e4p-55},
	{0x1.4bfdad5362a27p+0, 0x1.d4397afec42e2p-56},
	{0x1.6a09e667f3bcdp+0, -0x1.bdd3413b26456p-54},
	{0x1.8ace5422aa0dbp+0, 0x1.6e9f156864b27p-54},
	{0x1.ae89f995ad3adp+0, 0x1.7a1cd345dcc81p-54},
	{0x1.d5818dcfba487p+0, 0x1.2ed02d75b3707p-55},
}

// Exp is e^x.
//
// With x = n*ln(2)/8 + r, e^x is 2^(n/8) * (1 + r + r^2/2 + r^3/6 + ...).
func Exp(x float64) float64 {
	switch {
	case x != x:
		return x
	case x > 709.79:
		return math.Inf(1)
	case x < -745.2:
		return 0
	}
	n := math.Floor(float64(x*(8/math.Ln2)) + 0.5)
	r, low := addSmaller(x-float64(n*(ln2High/8)), -float64(n*(ln2Low/8)))

	z := float64(r * r)
	zz := float64(z * z)
	a := 1.0/2 + float64(r*(1.0/6)) + float64(z*(1.0/24+float64(r*(1.0/120))))
	b := 1.0/720 + float64(r*(1.0/5040)) + float64(z*(1.0/40320+float64(r*(1.0/362880))))
	series := float64(z * (a + float64(zz*b)))

	i := int(n)
	t := &eighths[i&7]
	y := t[0] + (t[1] + float64(t[0]*(r+(low+series))))
	if i >>= 3; i > -1022 && i < 1023 {
		return y * math.Float64frombits(uint64(i+1023)<<52)
	}
	return math.Ldexp(y, i)
}
