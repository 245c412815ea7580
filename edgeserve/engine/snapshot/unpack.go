// This file decodes blocks of packed integers, the main cost of reading postings.

package snapshot

import "encoding/binary"

// unpack decodes postBlock integers of one width from the start of src. One 64-bit load
// gives eight narrow integers, or four or two wide integers: as many as fit at any bit offset.
func unpack(dst *[postBlock]uint32, src []byte, width uint) {
	switch {
	case width == 0:
		clear(dst[:])
	case width <= 8:
		unpackEights(dst, src, width)
	case width <= 16:
		unpackFours(dst, src, width)
	case width <= 28:
		unpackTwos(dst, src, width)
	default:
		mask := uint64(1)<<width - 1
		for i := range dst {
			dst[i] = uint32(loadAt(src, uint(i)*width) & mask)
		}
	}
}

func unpackEights(dst *[postBlock]uint32, src []byte, width uint) {
	mask := uint64(1)<<width - 1
	for i := 0; i < postBlock; i += 8 {
		v, d := loadAt(src, uint(i)*width), dst[i:i+8:i+8]
		d[0], d[1] = uint32(v&mask), uint32(v>>(width&63)&mask)
		d[2], d[3] = uint32(v>>(2*width&63)&mask), uint32(v>>(3*width&63)&mask)
		d[4], d[5] = uint32(v>>(4*width&63)&mask), uint32(v>>(5*width&63)&mask)
		d[6], d[7] = uint32(v>>(6*width&63)&mask), uint32(v>>(7*width&63)&mask)
	}
}

func unpackFours(dst *[postBlock]uint32, src []byte, width uint) {
	mask := uint64(1)<<width - 1
	for i := 0; i < postBlock; i += 4 {
		v, d := loadAt(src, uint(i)*width), dst[i:i+4:i+4]
		d[0], d[1] = uint32(v&mask), uint32(v>>(width&63)&mask)
		d[2], d[3] = uint32(v>>(2*width&63)&mask), uint32(v>>(3*width&63)&mask)
	}
}

func unpackTwos(dst *[postBlock]uint32, src []byte, width uint) {
	mask := uint64(1)<<width - 1
	for i := 0; i < postBlock; i += 2 {
		v, d := loadAt(src, uint(i)*width), dst[i:i+2:i+2]
		d[0], d[1] = uint32(v&mask), uint32(v>>(width&63)&mask)
	}
}

// loadEnd loads the bits at an offset near the end, with fewer than eight bytes left.
func loadEnd(src []byte, bit uint) uint64 {
	var b [8]byte
	copy(b[:], src[bit>>3:])
	return binary.LittleEndian.Uint64(b[:]) >> (bit & 7)
}

// loadAt loads the bits at an offset: at least 57 bits.
func loadAt(src []byte, bit uint) uint64 {
	if at := bit >> 3; at+8 <= uint(len(src)) {
		return binary.LittleEndian.Uint64(src[at:]) >> (bit & 7)
	}
	return loadEnd(src, bit)
}

// sum adds the integers in four independent chains.
func sum(vs []uint32) int {
	var a, b, c, d uint32
	for ; len(vs) >= 4; vs = vs[4:] {
		a, b, c, d = a+vs[0], b+vs[1], c+vs[2], d+vs[3]
	}
	for _, v := range vs {
		a += v
	}
	return int(a + b + c + d)
}
