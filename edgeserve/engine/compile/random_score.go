// This file compiles random_score. With a seed the numbers equal those from an Elasticsearch index of one shard that
// has the name of the environment.

package compile

import (
	"encoding/binary"
	"math/bits"
	"strconv"

	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/envelope"
)

// randomScore returns a function to numbers from 0 to below 1. Equal seeds and values give equal
// numbers. Without a seed the clock is the seed.
func (c *Compiler) randomScore(f *query.ScoreFunction) (func(snapshot.DocID) float64, error) {
	salt := RandomSalt(c.resolver.Reader.Env())
	if f.Seed == nil {
		ms := uint64(c.Clock.Now().UnixMilli())
		seed := mix32(uint32(ms^ms>>32) ^ salt)
		return func(d snapshot.DocID) float64 { return fraction(mix32(d ^ seed)) }, nil
	}
	seed := mix32(RandomSeed(f.Seed) ^ salt)
	name := f.Field
	if name == "" {
		name = fields.IDName
	}
	t, ok := c.resolver.Resolve(name)
	switch {
	case !ok && fields.IsMetadata(name):
		return func(snapshot.DocID) float64 { return 0 }, nil // no item has to be scored
	case !ok:
		return nil, badFunction(f, "no item has a value at %.80q", name)
	case t.Kind == fields.Text:
		return nil, badFunction(f, "%.80q is analyzed text, which has no values: use %.80q", name, name+fields.KeywordSuffix)
	}
	var buf []byte
	column := t.Values.Column()
	return func(d snapshot.DocID) float64 {
		ord := column.Least(d)
		if ord == column.Distinct {
			return fraction(seed)
		}
		switch {
		case t.Kind == fields.Keyword:
			buf = t.Values.Strings().At(ord, buf[:0])
		case t.Kind.IsFraction():
			buf = envelope.AppendFloat(buf[:0], t.Values.Numbers().Float(ord), 64)
		default:
			buf = strconv.AppendInt(buf[:0], t.Values.Numbers().Int(ord), 10)
		}
		return fraction(murmur3(buf, seed))
	}, nil
}

// fraction is the lower 24 bits of a hash, below 1.
func fraction(hash uint32) float64 { return float64(float32(hash&0xffffff) / (1 << 24)) }

// RandomSalt is what the name of an index adds to the seeds of its first shard.
func RandomSalt(index string) uint32 { return uint32(fields.JavaHash(index)) << 10 }

// RandomSeed returns the integer of a seed, or the hash of its text.
func RandomSeed(v *query.Value) uint32 {
	n, err := strconv.ParseInt(v.Text, 10, 64)
	switch {
	case v.Kind != query.Number || err != nil:
		return uint32(fields.JavaHash(v.Text))
	case int64(int32(n)) == n:
		return uint32(n)
	}
	return uint32(n) ^ uint32(uint64(n)>>32)
}

// mix32 is the last step of MurmurHash3.
func mix32(k uint32) uint32 {
	k = (k ^ k>>16) * 0x85ebca6b
	k = (k ^ k>>13) * 0xc2b2ae35
	return k ^ k>>16
}

// murmur3 is MurmurHash3 of 32 bits.
func murmur3(b []byte, h uint32) uint32 {
	n := uint32(len(b))
	scramble := func(k uint32) uint32 { return bits.RotateLeft32(k*0xcc9e2d51, 15) * 0x1b873593 }
	for ; len(b) >= 4; b = b[4:] {
		h = bits.RotateLeft32(h^scramble(binary.LittleEndian.Uint32(b)), 13)*5 + 0xe6546b64
	}
	k := uint32(0)
	for i := len(b) - 1; i >= 0; i-- {
		k = k<<8 | uint32(b[i])
	}
	if len(b) > 0 {
		h ^= scramble(k)
	}
	return mix32(h ^ n)
}
