// This file is what the page asks about the items of the last good build.

package page

// Site knows the items of the last good build.
type Site interface {
	Memory() int64 // approximate bytes kept between builds
}
