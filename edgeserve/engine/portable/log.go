// This file computes logarithms.

package portable

import "math"

// ln2High has few bits: its products with exponents, and with the eighths of Exp, are exact.
const (
	ln2High = 0x1.62e42fefap-1
	ln2Low  = math.Ln2 - ln2High
)

// log10eHigh has 26 bits of log10(e).
const (
	log10eHigh = 0x1.bcb7b1p-2
	log10eLow  = math.Log10E - log10eHigh
)

// Log is the natural logarithm.
func Log(x float64) float64 {
	if !(x > 0 && x <= math.MaxFloat64) {
		return special(x)
	}
	high, low := logarithm(x, 0)
	return high + low
}

// Log10 is the logarithm to the base 10. The logarithms of 10, 100 up to 1e22 are exact.
func Log10(x float64) float64 {
	if !(x > 0 && x <= math.MaxFloat64) {
		return special(x)
	}
	high, low := logarithm(x, 0)
	front, back := halves(high)
	return float64(front*log10eHigh) + (float64(front*log10eLow) + float64((back+low)*math.Log10E))
}

// Log1p is the natural logarithm of 1+x. It is precise also for small x.
func Log1p(x float64) float64 {
	switch {
	case !(x > -1 && x <= math.MaxFloat64):
		return special(1 + x)
	case math.Abs(x) < 0x1p-54:
		return x
	}
	high, low := logarithm(add(1, x))
	return high + low
}

// special is the logarithm of a number that is not positive and finite.
func special(x float64) float64 {
	switch {
	case x == 0:
		return math.Inf(-1)
	case x < 0:
		return math.NaN()
	}
	return x
}

// firstPart has the bits of the least number of the first of the parts.
const firstPart = 0x3fe6a00000000000

// logarithm returns ln(x+rest) as a sum. x is above 0, and rest is much smaller than x.
//
// With x = 2^k * z and 1+r = z * inverse, it is k*ln(2) - ln(inverse) + r - r^2/2 + r^3/3 - ...
func logarithm(x, rest float64) (high, low float64) {
	bits, k := math.Float64bits(x), 0
	if x < 0x1p-1022 {
		bits, k = math.Float64bits(x*0x1p54), -54
	}
	from := bits - firstPart
	p := &parts[from>>46&63]
	e := int(int64(from) >> 52)
	z := math.Float64frombits(bits - from&^(1<<52-1))
	front, back := halves(z)
	r, more := addSmaller(float64(front*p.inverse)-1, float64(back*p.inverse))
	if rest != 0 && e < 1023 {
		sum, left := add(r, float64(float64(rest*math.Float64frombits(uint64(1023-e)<<52))*p.inverse))
		r, more = sum, more+left
	}

	rr := float64(r * r)
	r4 := float64(rr * rr)
	a := float64(r*(1.0/3)) - 1.0/2
	b := float64(r*(1.0/5)) - 1.0/4
	c := float64(r*(1.0/7)) - 1.0/6
	d := float64(r*(1.0/9)) - 1.0/8
	series := float64(rr * (a + float64(rr*b) + float64(r4*(c+float64(rr*d)))))

	exponent := float64(e + k)
	high, low = addSmaller(float64(exponent*ln2High), p.high)
	high, left := addSmaller(high, r)
	return high, left + (low + (float64(exponent*ln2Low) + p.low) + (more + series))
}

// parts divide the numbers from 0.707 to 1.414. inverse is near the reciprocals of a part's numbers
// and has few bits; high+low is -ln(inverse).
var parts = [64]struct{ inverse, high, low float64 }{
	{720.0 / 512, -0x1.5d1bdbf5809cap-2, -0x1.4236383dc7fe1p-56},
	{712.0 / 512, -0x1.51aad872df82dp-2, -0x1.3927ac19f55e3p-59},
	{705.0 / 512, -0x1.478cd5959b3d9p-2, -0x1.37e191a12fb48p-58},
	{697.0 / 512, -0x1.3bdd24eb14b6ap-2, -0x1.2da3c6449a7d0p-58},
	{690.0 / 512, -0x1.31871c9544185p-2, 0x1.51acc4c09b379p-60},
	{683.0 / 512, -0x1.27161913f853dp-2, -0x1.e3ec2ac9676b8p-57},
	{676.0 / 512, -0x1.1c898c16999fbp-2, 0x1.0e5c62aff1c44p-60},
	{669.0 / 512, -0x1.11e0e2dad9cb7p-2, -0x1.dc0cc6917022bp-63},
	{662.0 / 512, -0x1.071b85fcd590dp-2, -0x1.d1707f97bde80p-58},
	{655.0 / 512, -0x1.f871b28955045p-3, -0x1.4ad6c8812d31ap-63},
	{649.0 / 512, -0x1.e598ed5a87e2fp-3, 0x1.a5e78f4c50659p-58},
	{643.0 / 512, -0x1.d293581b6b3e7p-3, 0x1.c04a2aa97ac8ep-58},
	{636.0 / 512, -0x1.bc286742d8cd6p-3, -0x1.4fce744870f55p-58},
	{630.0 / 512, -0x1.a8becfc882f19p-3, 0x1.e8c37918c39ebp-58},
	{624.0 / 512, -0x1.9525a9cf456b4p-3, -0x1.d904c1d4e2e26p-57},
	{618.0 / 512, -0x1.815c0a14357ebp-3, 0x1.4be48073a0564p-58},
	{612.0 / 512, -0x1.6d60fe719d21dp-3, 0x1.caae268ecd179p-57},
	{607.0 / 512, -0x1.5c940075972b9p-3, -0x1.adccb73379cc5p-58},
	{601.0 / 512, -0x1.483bccce6e3ddp-3, -0x1.29391fb1b4b22p-57},
	{596.0 / 512, -0x1.371fc201e8f74p-3, -0x1.de6cb62af18a0p-58},
	{590.0 / 512, -0x1.2266f190a5acbp-3, -0x1.f547bf1809e88p-57},
	{585.0 / 512, -0x1.10f8e422539b1p-3, -0x1.8f798d39f1b7dp-58},
	{580.0 / 512, -0x1.fec9131dbeabbp-4, 0x1.5746b9981b36cp-58},
	{575.0 / 512, -0x1.db5270187d927p-4, -0x1.e15ab8607d2acp-58},
	{570.0 / 512, -0x1.b78c82bb0eda1p-4, -0x1.0878cf0327e21p-61},
	{565.0 / 512, -0x1.9375e55595edep-4, 0x1.e463f9e4dd920p-59},
	{560.0 / 512, -0x1.6f0d28ae56b4cp-4, 0x1.906d99184b992p-58},
	{555.0 / 512, -0x1.4a50d3aa1b040p-4, -0x1.ecf768c1dd57bp-61},
	{551.0 / 512, -0x1.2cb0283f5de1fp-4, 0x1.d359a8fde8adep-60},
	{546.0 / 512, -0x1.075983598e471p-4, -0x1.80da5333c45b8p-59},
	{542.0 / 512, -0x1.d276b8adb0b52p-5, -0x1.1e3c53257fd47p-61},
	{537.0 / 512, -0x1.868a83083f6cfp-5, 0x1.d09a5634943dbp-61},
	{533.0 / 512, -0x1.494acc34d911cp-5, -0x1.e295bf491ccc5p-59},
	{529.0 / 512, -0x1.0b94f7c196176p-5, -0x1.da43f761f4dc4p-59},
	{524.0 / 512, -0x1.7b91b07d5b11bp-6, 0x1.5b602ace3a510p-60},
	{520.0 / 512, -0x1.fc0a8b0fc03e4p-7, 0x1.83092c59642a1p-62},
	{516.0 / 512, -0x1.fe02a6b106789p-8, 0x1.e44b7e3711ebfp-67},
	{1, 0, 0},
	{504.0 / 512, 0x1.0205658935847p-6, 0x1.27c8e8416e71fp-60},
	{496.0 / 512, 0x1.0415d89e74444p-5, 0x1.c05cf1d753622p-59},
	{489.0 / 512, 0x1.788595a3577bap-5, 0x1.e5ef898b67923p-59},
	{482.0 / 512, 0x1.eea31c006b87cp-5, -0x1.3e4fc93b7b66cp-59},
	{475.0 / 512, 0x1.333d7f8183f4bp-4, 0x1.a92afc8ef70b1p-58},
	{468.0 / 512, 0x1.700d30aeac0e1p-4, -0x1.72566212cdd05p-61},
	{462.0 / 512, 0x1.a4e7640b1bc38p-4, -0x1.5b5ca203e4259p-58},
	{455.0 / 512, 0x1.e3707ee30487bp-4, 0x1.09ccecd579d99p-58},
	{449.0 / 512, 0x1.0ce7ecdccc28dp-3, -0x1.692a0055dc959p-57},
	{443.0 / 512, 0x1.28753bc11aba5p-3, -0x1.6394d9fa33311p-57},
	{437.0 / 512, 0x1.4462b9dc9b3dcp-3, -0x1.629c46c186385p-58},
	{431.0 / 512, 0x1.60b3100b09476p-3, -0x1.5b2623e05016bp-58},
	{426.0 / 512, 0x1.7898d85444c73p-3, 0x1.ef8f6ebcfb201p-58},
	{420.0 / 512, 0x1.95a5adcf7017fp-3, 0x1.142c507fb7a3dp-58},
	{415.0 / 512, 0x1.ae2ca6f672bd4p-3, 0x1.ab5ca9eaa088ap-57},
	{410.0 / 512, 0x1.c6ffbc6f00f71p-3, -0x1.8e58b2c57a4a5p-57},
	{405.0 / 512, 0x1.e020cc6235ab5p-3, 0x1.fea48dd7b81d1p-58},
	{400.0 / 512, 0x1.f991c6cb3b379p-3, 0x1.f665066f980a2p-57},
	{395.0 / 512, 0x1.09aa572e6c6d4p-2, 0x1.43c2e68684d53p-57},
	{390.0 / 512, 0x1.16b5ccbacfb73p-2, 0x1.66fbd28b40935p-56},
	{386.0 / 512, 0x1.214456d0eb8d4p-2, 0x1.f7ae91aeba60ap-57},
	{381.0 / 512, 0x1.2e9e2bce12286p-2, 0x1.8251a3b83d97ap-62},
	{377.0 / 512, 0x1.396ce359bbf54p-2, -0x1.ce2b31b31e8b0p-58},
	{372.0 / 512, 0x1.4718dc271c41bp-2, 0x1.8fb4c14c56eefp-60},
	{368.0 / 512, 0x1.522ae0738a3d8p-2, -0x1.8f7e9b38a6979p-57},
	{364.0 / 512, 0x1.5d5bddf595f30p-2, -0x1.6541148cbb8a2p-56},
}
