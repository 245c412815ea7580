package highlight

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// Lists of each length and shape are sorted, whichever algorithm a depth chooses.
func TestIntroSort(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	shapes := map[string]func(i, n int) int{
		"ascending":  func(i, _ int) int { return i },
		"descending": func(i, n int) int { return n - i },
		"equal":      func(int, int) int { return 7 },
		"few values": func(int, int) int { return rnd.IntN(3) },
		"a pipe":     func(i, n int) int { return min(i, n-i) },
		"random":     func(int, int) int { return rnd.IntN(1000) },
	}
	sorts := map[string]func([]int, func(a, b int) int){
		"introSort":     introSort[int],
		"insertionSort": insertionSort[int],
		"heapSort":      heapSort[int],
		"one division":  func(list []int, compare func(a, b int) int) { quickSort(list, compare, 1) },
	}
	for shape, value := range shapes {
		for n := range 150 {
			list := make([]int, n)
			for i := range list {
				list[i] = value(i, n)
			}
			want := slices.Sorted(slices.Values(list))
			for name, sort := range sorts {
				got := slices.Clone(list)
				if sort(got, cmp.Compare[int]); !slices.Equal(got, want) {
					t.Fatalf("%s of %d values, %s: %v", name, n, shape, got)
				}
			}
		}
	}
}

// Short lists are sorted by insertion, which keeps the order of equal values.
func TestShortListsAreStable(t *testing.T) {
	type pair struct{ key, place int }
	var list []pair
	for i := range shortSort - 1 {
		list = append(list, pair{i % 2, i})
	}
	byKey := func(a, b pair) int { return cmp.Compare(a.key, b.key) }
	introSort(list, byKey)
	if !slices.IsSortedFunc(list, func(a, b pair) int { return cmp.Or(byKey(a, b), cmp.Compare(a.place, b.place)) }) {
		t.Errorf("%v", list)
	}
}
