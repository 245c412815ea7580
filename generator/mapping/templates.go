// This file merges what surveys know of the shapes of items, and lists it within bounds.

package mapping

import (
	"maps"
	"slices"

	"contentedge/edgeserve/wire/release"
)

// An object with more different keys than manyKeys is a table, if each object has less than one in sparseShare of its
// keys: translations by language, prices by product. With more than mostKeys it always is. The keys of a table are one
// path.
const (
	manyKeys    = 64
	sparseShare = 8
	mostKeys    = 4096
)

// maxLevels bounds the keys of a path that is listed. Types of deeper objects are useless, and each path repeats all
// its keys.
const maxLevels = 32

// Targets are the templates of the items that references lead to, by the place of the reference.
type Targets map[*Node]map[string]bool

// Add adds a target. References whose place is not counted are ignored.
func (t Targets) Add(from *Node, template string) {
	if from == nil {
		return
	}
	if t[from] == nil {
		t[from] = map[string]bool{}
	}
	t[from][template] = true
}

// Inside reports whether a node is in a member of the item.
func (n *Node) Inside(member string) bool {
	for n.parent != nil && n.parent.parent != nil {
		n = n.parent
	}
	return n.parent != nil && n.key == member
}

// spot is a node of all surveys together.
type spot struct {
	tally
	members map[string]*spot
	targets map[string]bool
	any     *spot // of a table: all its members
}

type merger struct {
	targets Targets
	spots   int
}

// Templates lists what the items of surveys hold, by template. Every item has the member always, though its text may
// lack it. It reports whether there is too much for limit bytes, which the list in a manifest may have, about.
func Templates(surveys []*Survey, targets Targets, always string, limit int) (list []release.Template, leftOut bool) {
	m := merger{targets: targets}
	roots := map[string]*spot{}
	for _, s := range surveys {
		if s.shapes.full {
			return nil, true
		}
		for name, root := range s.shapes.roots {
			if roots[name] == nil {
				roots[name] = m.spot()
			}
			m.merge(roots[name], root, s)
		}
	}
	if m.spots > MaxNodes {
		return nil, true
	}
	for _, name := range slices.Sorted(maps.Keys(roots)) {
		root := roots[name]
		root.complete(always)
		root.findTables()
		list = append(list, release.Template{Name: name, Items: int(root.direct[shapeObject]), Paths: root.paths(nil, nil)})
	}
	return shorten(list, limit)
}

func (m *merger) spot() *spot {
	m.spots++
	return &spot{members: map[string]*spot{}}
}

// merge adds a node of a survey, and what is below.
func (m *merger) merge(to *spot, n *Node, s *Survey) {
	to.add(&n.tally)
	from := n
	if n.id < len(s.from) && s.from[n.id] != nil {
		from = s.from[n.id]
	}
	to.refer(m.targets[from])
	for _, c := range n.children {
		if to.members[c.key] == nil {
			to.members[c.key] = m.spot()
		}
		m.merge(to.members[c.key], c, s)
	}
}

func (p *spot) refer(targets map[string]bool) {
	if p.targets == nil && len(targets) > 0 {
		p.targets = map[string]bool{}
	}
	maps.Copy(p.targets, targets)
}

func (t *tally) add(o *tally) {
	t.traits |= o.traits
	t.direct.add(&o.direct)
	for i := range o.inside {
		t.at(i + 1).add(&o.inside[i])
	}
}

func (c *counts) add(o *counts) {
	for k, n := range o {
		c[k] += n
	}
}

// complete counts an empty object for each item without a member that all items have.
func (p *spot) complete(member string) {
	if p.members[member] == nil {
		p.members[member] = &spot{members: map[string]*spot{}}
	}
	data := p.members[member]
	data.direct[shapeObject] += p.direct[shapeObject] - data.direct.sum()
}

func (c *counts) sum() (n uint32) {
	for _, of := range c {
		n += of
	}
	return n
}

func (c *counts) objects() uint32 {
	return c[shapeObject] + c[shapeReference] + c[shapeMedia] + c[shapeDocument] + c[shapeBlock]
}

// objects counts the objects of a place, in arrays too.
func (p *spot) objects() int {
	n := int(p.direct.objects())
	for i := range p.inside {
		n += int(p.inside[i].objects())
	}
	return n
}

// opaque reports whether some object is rich text, whose members are not listed.
func (p *spot) opaque() bool {
	has := func(c *counts) bool { return c[shapeDocument]+c[shapeBlock] > 0 }
	return has(&p.direct) || slices.ContainsFunc(p.inside, func(c counts) bool { return has(&c) })
}

// findTables merges the members of tables, from the top on: the members of a table have each other's members.
func (p *spot) findTables() {
	if p.opaque() {
		p.members = nil
		return
	}
	if p.isTable() {
		p.any = &spot{members: map[string]*spot{}}
		for _, m := range p.members {
			p.any.join(m)
		}
		p.members = nil
		p.any.findTables()
		return
	}
	for _, m := range p.members {
		m.findTables()
	}
}

func (p *spot) isTable() bool {
	if len(p.members) <= manyKeys || len(p.members) > mostKeys {
		return len(p.members) > mostKeys
	}
	values := 0
	for _, m := range p.members {
		values += int(m.direct.sum())
	}
	return values*sparseShare < p.objects()*len(p.members)
}

func (p *spot) join(o *spot) {
	p.add(&o.tally)
	p.refer(o.targets)
	for key, m := range o.members {
		if p.members[key] == nil {
			p.members[key] = &spot{members: map[string]*spot{}}
		}
		p.members[key].join(m)
	}
}

// paths appends the members of a place, with what is below each.
func (p *spot) paths(list []release.Path, keys []string) []release.Path {
	if p.any != nil {
		return p.any.list(list, append(slices.Clip(keys), "*"), release.Path{Any: true})
	}
	for _, key := range slices.Sorted(maps.Keys(p.members)) {
		m := p.members[key]
		list = m.list(list, append(slices.Clip(keys), key), release.Path{Always: int(m.direct.sum()) == p.objects()})
	}
	return list
}

func (p *spot) list(list []release.Path, keys []string, path release.Path) []release.Path {
	if p.direct.sum() == 0 {
		return list // selected items lack it
	}
	path.Keys, path.Kinds = keys, p.kinds(&p.direct)
	for i := range p.inside {
		if kinds := p.kinds(&p.inside[i]); len(kinds) > 0 {
			path.Elements = append(path.Elements, kinds)
		}
	}
	path.Targets = slices.Sorted(maps.Keys(p.targets))
	if len(keys) == maxLevels {
		path.Cut = p.any != nil || len(p.members) > 0
		return append(list, path)
	}
	return p.paths(append(list, path), keys)
}

var kindNamesOfShapes = [shapeKinds]release.Kind{
	shapeString: release.KindString, shapeNumber: release.KindInteger, shapeBoolean: release.KindBoolean, shapeNull: release.KindNull, shapeArray: release.KindArray,
	shapeObject: release.KindObject, shapeReference: release.KindReference, shapeMedia: release.KindMedia, shapeDocument: release.KindRichText, shapeBlock: release.KindBlock,
}

func (p *spot) kinds(c *counts) release.Kinds {
	kinds := release.Kinds{}
	for k, n := range c {
		name := kindNamesOfShapes[k]
		switch {
		case n == 0:
			continue
		case shapeKind(k) == shapeString && p.traits&somePlain == 0:
			name = release.KindHTML
		case shapeKind(k) == shapeString && p.traits&someWords == 0:
			name = release.KindDate
		case shapeKind(k) == shapeNumber && p.traits&someFraction != 0:
			name = release.KindFloat
		}
		kinds[name] = int(n)
	}
	return kinds
}

// shorten cuts off the deepest paths of all templates until the list has about limit bytes.
func shorten(list []release.Template, limit int) ([]release.Template, bool) {
	var sizes []int // by number of keys
	for _, t := range list {
		sizes = add(sizes, 0, quotedSize(t.Name)+len(`{"name":,"items":1234567,"paths":[]},`))
		for i := range t.Paths {
			sizes = add(sizes, len(t.Paths[i].Keys), size(&t.Paths[i]))
		}
	}
	deepest := -1
	for total := 0; deepest+1 < len(sizes); deepest++ {
		if total += sizes[deepest+1]; total > limit {
			break
		}
	}
	if deepest < 0 {
		return nil, len(list) > 0
	}
	for i := range list {
		list[i].Paths = cut(list[i].Paths, deepest)
	}
	return list, false
}

// cut leaves out the paths of more than n keys, and marks the paths that lose members.
func cut(paths []release.Path, n int) (kept []release.Path) {
	kept = []release.Path{}
	for _, p := range paths {
		if len(p.Keys) <= n {
			kept = append(kept, p)
		} else if last := len(kept) - 1; last >= 0 {
			kept[last].Cut = true // it is above p
		}
	}
	return kept
}

func add(sizes []int, at, n int) []int {
	for len(sizes) <= at {
		sizes = append(sizes, 0)
	}
	sizes[at] += n
	return sizes
}

// size is about the length of a path in a manifest. It is exact enough for a limit, and needs no encoding.
func size(p *release.Path) int {
	n := len(`{"keys":[],"always":true,"kinds":{},"cut":true},`)
	for _, texts := range [][]string{p.Keys, p.Targets} {
		for _, text := range texts {
			n += quotedSize(text) + 1
		}
	}
	for _, kinds := range append(p.Elements[:len(p.Elements):len(p.Elements)], p.Kinds) {
		for kind := range kinds {
			n += len(kind) + len(`"":1234567,`)
		}
	}
	return n
}

// quotedSize is the length of a text with quotes and escapes.
func quotedSize(text string) int {
	n := len(text) + 2
	for i := range len(text) {
		if c := text[i]; c < ' ' || c == '"' || c == '\\' {
			n += 5
		}
	}
	return n
}
