// This file is what the page asks about the items of the last good build.

package page

// Site knows the items of the last good build. Calls may overlap builds.
type Site interface {
	Item(env, id string) (ItemInfo, bool)
	Fields(env string) []FieldInfo // every path; none if there is no such environment
	Memory() int64                 // approximate bytes kept between builds
}

// ItemInfo describes an item.
type ItemInfo struct {
	ID, Name, Template, Status string
	File                       string
	Line                       int
	References                 []Reference
	ReferredBy                 []Reference
	ReferredByTotal            int
}

// Reference is a reference between items.
type Reference struct {
	Path, ID, Name, Template string
	Exists                   bool
}

// FieldInfo describes a path of items.
type FieldInfo struct {
	Path, Kind string
	SubFields  []string
	Items      int
	Mixed      []MixedKind
}

// MixedKind is a kind that values of a path have.
type MixedKind struct {
	Kind         string
	Items        int
	File         string
	Line, Column int
	ID           string
}
