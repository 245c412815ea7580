// This file tells which resource a request's path names. It compares the path as it was
// sent: nothing is decoded, folded or cleaned, so that a resource has exactly one path
// and no spelling reaches past the checks of its parts.

package address

import "strings"

// Kind is the kind of a resource.
type Kind uint8

// The resources of the interface.
const (
	Contents Kind = iota + 1 // the lists of an environment; the query string says which
	Item                     // one item
	ListFile                 // one list, asked for by its file's name
	Search                   // the search endpoint of an environment
)

// Route is a path taken apart. ID is set for an Item, List for a ListFile.
type Route struct {
	Kind    Kind
	Env, ID string
	List    List
}

const (
	searchRoot = "cda/es/v1/"
	contents   = "/contents" // after the environment
)

// ContentsPath is the path of the lists of an environment.
func ContentsPath(env string) string { return "/" + restRoot + env + contents }

// ParsePath reads the path of a request, from its first slash up to the query string.
// Items are also found under their files' names. False: the interface has no such path.
func ParsePath(rawPath string) (Route, bool) {
	path, ok := strings.CutPrefix(rawPath, "/")
	if !ok {
		return Route{}, false
	}
	if env, ok := strings.CutPrefix(path, searchRoot); ok {
		return Route{Kind: Search, Env: env}.checked()
	}
	rest, ok := strings.CutPrefix(path, restRoot)
	if !ok {
		return Route{}, false
	}
	slash := strings.IndexByte(rest, '/')
	if slash < 0 {
		return Route{}, false
	}
	env, rest := rest[:slash], rest[slash:]
	if id, ok := strings.CutPrefix(rest, itemDir); ok {
		return Route{Kind: Item, Env: env, ID: strings.TrimSuffix(id, fileSuffix)}.checked()
	}
	if rest == contents {
		return Route{Kind: Contents, Env: env}.checked()
	}
	if env, list, ok := ParseListFile(path); ok {
		return Route{Kind: ListFile, Env: env, List: list}, true
	}
	return Route{}, false
}

// checked passes r on when its ids have the shape of ids.
func (r Route) checked() (Route, bool) {
	if !ValidEnv(r.Env) || r.Kind == Item && !ValidID(r.ID) {
		return Route{}, false
	}
	return r, true
}
