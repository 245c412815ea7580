// This file sorts as Lucene does, because the order of equal fragments shows in highlights. To the plain
// highlighter, fragments are equal whose scores differ by less than a half.

package highlight

// shortSort is the length below which introSort sorts a list by insertion.
const shortSort = 20

func introSort[T any](list []T, compare func(a, b T) int) {
	depth := 0
	for n := len(list); n > 1; n /= 2 {
		depth += 2
	}
	quickSort(list, compare, depth)
}

func quickSort[T any](list []T, compare func(a, b T) int, depth int) {
	n := len(list)
	switch {
	case n < shortSort:
		insertionSort(list, compare)
		return
	case depth == 0:
		heapSort(list, compare)
		return
	}
	swap := func(i, j int) { list[i], list[j] = list[j], list[i] }
	mid := n / 2
	if compare(list[0], list[mid]) > 0 {
		swap(0, mid)
	}
	if compare(list[mid], list[n-1]) > 0 {
		swap(mid, n-1)
		if compare(list[0], list[mid]) > 0 {
			swap(0, mid)
		}
	}
	left, right, pivot := 1, n-2, list[mid]
	for {
		for right > 0 && compare(pivot, list[right]) < 0 {
			right--
		}
		for left < right && compare(pivot, list[left]) >= 0 {
			left++
		}
		if left >= right {
			break
		}
		swap(left, right)
		right--
	}
	quickSort(list[:left+1], compare, depth-1)
	quickSort(list[left+1:], compare, depth-1)
}

func insertionSort[T any](list []T, compare func(a, b T) int) {
	for i := 1; i < len(list); i++ {
		pivot, low, high := list[i], 0, i
		for low < high {
			if mid := (low + high - 1) / 2; compare(pivot, list[mid]) < 0 {
				high = mid
			} else {
				low = mid + 1
			}
		}
		copy(list[low+1:i+1], list[low:i])
		list[low] = pivot
	}
}

func heapSort[T any](list []T, compare func(a, b T) int) {
	for i := (len(list) - 2) / 2; i >= 0; i-- {
		siftDown(list, i, compare)
	}
	for end := len(list) - 1; end > 0; end-- {
		list[0], list[end] = list[end], list[0]
		siftDown(list[:end], 0, compare)
	}
}

func siftDown[T any](list []T, i int, compare func(a, b T) int) {
	for {
		most := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(list); child++ {
			if compare(list[most], list[child]) < 0 {
				most = child
			}
		}
		if most == i {
			return
		}
		list[i], list[most] = list[most], list[i]
		i = most
	}
}
