// Package portable computes logarithms and exponentials with the same bits on every processor. The functions of package
// math differ: on some processors they are assembly, on others the compiler fuses products with sums. Scores and other
// numbers of responses and releases must not depend on the processor.
//
// A product that is added to something is converted to float64 first: the language defines that the conversion rounds,
// which prevents fusing. The error of logarithms is below 0.51 units in the last place, the error of exponentials below
// 0.6.
package portable

import "math"

// add returns a+b exactly, as sum plus rest. rest is at most half a unit in the last place of sum.
func add(a, b float64) (sum, rest float64) {
	sum = a + b
	of := sum - a
	return sum, (a - (sum - of)) + (b - of)
}

// addSmaller is add for a b that is not farther from zero than a.
func addSmaller(a, b float64) (sum, rest float64) {
	sum = a + b
	return sum, b - (sum - a)
}

// halves splits a into a number of at most 27 bits and the rest.
func halves(a float64) (front, back float64) {
	front = math.Float64frombits(math.Float64bits(a) &^ (1<<26 - 1))
	return front, a - front
}
