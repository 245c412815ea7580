// This file finds the resource of a raw path, without decoding or cleaning: each resource has one
// path, and no other spelling bypasses the checks.

package address

import "strings"

// Kind is the kind of a resource.
type Kind uint8

const (
	Contents Kind = iota + 1 // the lists of an environment, selected by query string
	Item
	ListFile // a list, addressed by file name
	Search   // the search endpoint of an environment
	SavedSearch
)

// Route is a parsed path. ID is set for an Item, List for a ListFile; ID, the name, and Page for a
// SavedSearch.
type Route struct {
	Kind    Kind
	Env, ID string
	List    List
	Page    int
}

const (
	searchRoot = "cda/es/v1/"
	contents   = "/contents" // after the environment
)

// ContentsPath is the path of an environment's lists.
func ContentsPath(env string) string { return "/" + restRoot + env + contents }

// ParsePath parses a raw path; file names are paths too. It returns false outside the interface.
func ParsePath(rawPath string) (Route, bool) {
	path, ok := strings.CutPrefix(rawPath, "/")
	if !ok {
		return Route{}, false
	}
	if env, ok := strings.CutPrefix(path, searchRoot); ok {
		if env == "" || env[0] == '_' || strings.IndexByte(env, '/') >= 0 {
			return parseElastic(env)
		}
		return Route{Kind: Search, Env: env}.checked()
	}
	if rawPath == elasticNode {
		return Route{Kind: ElasticInfo}, true
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
	if file, ok := strings.CutPrefix(rest, savedDir); ok {
		return parseSaved(env, file)
	}
	if env, list, ok := ParseListFile(path); ok {
		return Route{Kind: ListFile, Env: env, List: list}, true
	}
	return Route{}, false
}

func (r Route) checked() (Route, bool) {
	if !ValidEnv(r.Env) || r.Kind == Item && !ValidID(r.ID) {
		return Route{}, false
	}
	return r, true
}
