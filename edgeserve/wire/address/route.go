// This file finds the resource of a raw path. It neither decodes nor cleans the path, so that each
// resource has one path, and no other spelling bypasses the checks.

package address

import (
	"slices"
	"strings"
)

// Route is a parsed path. An item has an ID, as has its UsedIn, and a ListFile a List. A SavedSearch has its name as
// ID, and a Page. Media have the part of their path after the environment as ID: DIGEST/NAME.
type Route struct {
	Kind    Kind
	Env, ID string
	List    List
	Page    int
	ByFile  bool // an item is addressed by the name of its file, whose query is ignored
}

// ParsePath parses a raw path of content. File names are such paths, too. It returns false for other
// paths.
func ParsePath(rawPath string) (r Route, ok bool) {
	for i := range roots {
		path, ok := strings.CutPrefix(rawPath, roots[i].prefix)
		if !ok {
			continue
		}
		env, behind := path, ""
		if slash := strings.IndexByte(path, '/'); slash >= 0 {
			env, behind = path[:slash], path[slash:]
		} else if env == "" || env[0] == '_' {
			break
		}
		if !r.parse(roots[i].tails, env, behind) {
			return Route{}, false
		}
		return r, true
	}
	for i := range fixed {
		if rawPath == fixed[i].Pattern {
			return Route{Kind: fixed[i].Kind}, true
		}
	}
	return Route{}, false
}

// tail is the part of an endpoint's paths after the environment.
type tail struct {
	kind         Kind
	several      bool   // the path may name several environments, separated by commas
	name, suffix string // the text before and after the variable part
	variable     string // ":id", ":page", "*" or nothing
}

// roots are the beginnings of paths with an environment, and fixed the endpoints without an
// environment.
var (
	roots = [...]struct {
		prefix string
		tails  []tail
	}{{restRoot, tailsOf(restRoot)}, {mediaRoot, tailsOf(mediaRoot)}, {elasticRoot, tailsOf(elasticRoot)}}
	fixed = fixedEndpoints()
)

func tailsOf(root string) (tails []tail) {
	for _, e := range endpoints {
		behind, ok := strings.CutPrefix(e.Pattern, root+":")
		if !ok {
			continue
		}
		env := untilSlash(behind)
		t := tail{kind: e.Kind, several: env == "envs", name: behind[len(env):]}
		if i := strings.IndexAny(t.name, ":*"); i >= 0 {
			t.variable = untilSlash(t.name[i:])
			t.name, t.suffix = t.name[:i], t.name[i+len(t.variable):]
		}
		tails = append(tails, t)
	}
	return tails
}

func fixedEndpoints() (rows []Endpoint) {
	for _, e := range endpoints {
		if e.Group != Probes && !strings.Contains(e.Pattern, ":") {
			rows = append(rows, e)
		}
	}
	return rows
}

// parse parses a path with an environment into an empty route. It returns false if no tail matches behind, the part of
// the path after the environment.
func (r *Route) parse(tails []tail, env, behind string) bool {
	for i := range tails {
		t := &tails[i]
		value, ok := strings.CutPrefix(behind, t.name)
		if !ok || t.variable == "" && value != "" {
			continue
		}
		if r.Kind, r.Env = t.kind, env; t.several && r.separate() {
			return validEnvs(r.Indices())
		}
		if !ValidEnv(env) {
			return false
		}
		if r.parseVariable(t, value) {
			return true
		}
	}
	return false
}

// parseVariable parses the variable part of a path.
func (r *Route) parseVariable(t *tail, value string) (ok bool) {
	switch t.variable {
	case "":
		return true
	case ":page":
		r.ID, r.Page, ok = parseSaved(value)
		return ok
	case "*":
		if t.kind == Media {
			r.ID = value
			return validMedia(value)
		}
		r.List, ok = parseList(value)
		return ok
	}
	if t.kind == Item {
		value, r.ByFile = strings.CutSuffix(value, fileSuffix)
	}
	r.ID, ok = strings.CutSuffix(value, t.suffix)
	return ok && ValidID(r.ID)
}

// separate decodes the commas between environments. It reports whether there are several environments.
func (r *Route) separate() bool {
	if strings.ContainsAny(r.Env, ",%") {
		r.Env = unescapedCommas.Replace(r.Env)
	}
	return r.Several()
}

func validEnvs(envs []string) bool {
	for _, env := range envs {
		if !ValidEnv(env) {
			return false
		}
	}
	return true
}

var unescapedCommas = strings.NewReplacer("%2C", ",", "%2c", ",")

// ForGET is the route of a path and a raw query for GET and HEAD. A query with a parameter of the kind that POST has, such
// as q of a search, asks for that kind.
func (r Route) ForGET(rawQuery string) Route {
	if kind := ofKind[r.Kind].ForGET; kind != 0 && !hasParameter(r.Kind, rawQuery) {
		r.Kind = kind
	}
	return r
}

// hasParameter reports whether a raw query has a parameter of a kind whose names are not case-sensitive.
func hasParameter(kind Kind, rawQuery string) bool {
	for pair := range strings.SplitSeq(rawQuery, "&") {
		name, _, _ := strings.Cut(pair, "=")
		name, ok := unescape(name)
		if ok && slices.ContainsFunc(table[:], func(p Parameter) bool { return slices.Contains(p.Kinds, kind) && p.isNamed(name) }) {
			return true
		}
	}
	return false
}

// isNamed reports whether a name in any case is one of the parameter.
func (p *Parameter) isNamed(name string) bool {
	if p.Below {
		return len(name) > len(p.Name) && strings.EqualFold(name[:len(p.Name)], p.Name)
	}
	return strings.EqualFold(name, p.Name)
}

// Indices are the environments that a path names. They need not exist.
func (r Route) Indices() []string { return strings.Split(r.Env, ",") }

// Several reports whether the path names several environments.
func (r Route) Several() bool { return strings.Contains(r.Env, ",") }

// NamesIndices reports whether the parts of a request may each name an index. The index in the path
// is then the default.
func (k Kind) NamesIndices() bool { return k == ElasticMultiSearch || k == ElasticMultiGet }

// LikeElastic reports whether a raw path belongs to Elasticsearch's API, even if no endpoint has it.
// The names of endpoints begin with an underscore; environments do not.
func LikeElastic(rawPath string) bool {
	rest, ok := strings.CutPrefix(rawPath, ElasticNode)
	if rest, below := strings.CutPrefix(rest, "/"); below {
		_, name, _ := strings.Cut(rest, "/")
		return ok && (rest == "" || rest[0] == '_' || strings.HasPrefix(name, "_"))
	}
	return ok && rest == ""
}
