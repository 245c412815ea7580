// This file lists reasons for pages, and for whoever compares them.

package translate

// Reasons returns all reasons of Approximate.
func Reasons() (all []string) {
	for _, f := range families {
		all = append(all, f.reason)
	}
	return all
}
