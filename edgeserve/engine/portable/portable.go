// Package portable computes logarithms and exponentials whose bits are the same on every processor.
// Package math has assembly for them on some, and on others the compiler fuses products with sums.
// Scores and other numbers of responses and releases must not depend on that.
//
// Every product that a sum takes up is converted to float64, which the language defines to round it.
// Logarithms are less than 0.51 units in the last place off, exponentials less than 0.6.
package portable

import "math"

// add returns a+b exactly, as a sum of which the second number is at most half a unit of the first.
func add(a, b float64) (sum, rest float64) {
	sum = a + b
	of := sum - a
	return sum, (a - (sum - of)) + (b - of)
}

// addSmaller is add for numbers of which a is zero or the one farther from zero.
func addSmaller(a, b float64) (sum, rest float64) {
	sum = a + b
	return sum, b - (sum - a)
}

// halves returns a number of at most 27 bits and the rest of a.
func halves(a float64) (front, back float64) {
	front = math.Float64frombits(math.Float64bits(a) &^ (1<<26 - 1))
	return front, a - front
}
