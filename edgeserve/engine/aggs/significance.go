// This file scores how much more frequent a term is in some documents than in all, by the measures
// that Elasticsearch has for significant terms.

package aggs

import (
	"math"

	"contentedge/edgeserve/engine/portable"
	"contentedge/edgeserve/engine/query"
)

// frequencies counts the documents of a bucket and of the background, and in each set the documents with the term.
type frequencies struct{ with, bucket, withBehind, behind float64 }

// significance returns the score of a term. A score of 0 or less, or NaN, is not significant. ok is
// false if the counts contradict that the background includes the bucket.
func significance(o *query.Significance, f frequencies) (score float64, ok bool) {
	switch o.Measure {
	case "jlh":
		return f.jlh(), true
	case "percentage":
		if f.withBehind == 0 {
			return 0, true
		}
		return f.with / f.withBehind, true
	}
	if o.Superset && (f.with > f.withBehind || f.bucket > f.behind || f.withBehind-f.with > f.behind-f.bucket) {
		return 0, false
	}
	t := f.table(o.Superset)
	if o.Measure == "gnd" {
		return t.distance(), true
	}
	if !o.Negatives && t.n11/t.of1 < t.n10/t.of0 {
		return math.Inf(-1), true
	}
	if o.Measure == "chi_square" {
		return t.chiSquare(), true
	}
	return t.information(), true
}

// jlh is the absolute growth of the share of documents with the term, times its relative growth.
func (f frequencies) jlh() float64 {
	if f.bucket == 0 || f.behind == 0 {
		return 0
	}
	here, there := f.with/f.bucket, max(f.withBehind, 1)/f.behind
	if here <= there {
		return 0
	}
	return (here - there) * (here / there)
}

// contingency counts documents: nXY with the term (x 1) or without, in the bucket (y 1) or not.
// ofY and withX are their sums.
type contingency struct{ n00, n01, n10, n11, with0, with1, of0, of1, all float64 }

func (f frequencies) table(superset bool) contingency {
	t := contingency{
		n00: f.behind - f.withBehind, n01: f.bucket - f.with,
		n10: f.withBehind, n11: f.with,
	}
	if superset {
		t.n00 -= t.n01
		t.n10 -= t.n11
	}
	t.with0, t.with1 = t.n00+t.n01, t.n10+t.n11
	t.of0, t.of1 = t.n00+t.n10, t.n01+t.n11
	t.all = t.of0 + t.of1
	return t
}

// distance is the inverse of the normalized Google distance: close terms score high.
func (t *contingency) distance() float64 {
	if t.n11 == 0 {
		return 0
	}
	if t.with1 == t.of1 && t.with1 == t.n11 {
		return 1
	}
	x, y := portable.Log(t.with1), portable.Log(t.of1)
	return portable.Exp(-(max(x, y) - portable.Log(t.n11)) / (portable.Log(t.all) - min(x, y)))
}

func (t *contingency) chiSquare() float64 {
	d := float64(t.n11*t.n00) - float64(t.n01*t.n10)
	return t.all * d * d / (t.of1 * t.with1 * t.with0 * t.of0)
}

// information is the mutual information of term and bucket in bits.
func (t *contingency) information() float64 {
	of := func(n, x, y float64) float64 {
		if t.all*n < 1e-7 {
			return 0
		}
		return n / t.all * portable.Log(t.all*n/(x*y))
	}
	return (of(t.n00, t.with0, t.of0) + of(t.n01, t.with0, t.of1) + of(t.n10, t.with1, t.of0) + of(t.n11, t.with1, t.of1)) / math.Ln2
}
