// This file finds broken references. The parser collects references, which are looked up when all ids
// are known. The files of the few that are reported are read again for their places.

package model

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"

	"contentedge/edgeserve/wire/jsoncursor"
	"contentedge/generator/mapping"
	"contentedge/generator/source/documents"
	"contentedge/generator/visibility"
)

// Broken is the handling of references to items that are not delivered.
type Broken uint8

// The ways of handling broken references.
const (
	BrokenWarns  Broken = iota
	BrokenFails         // each is an error
	BrokenPasses        // references are not checked
)

// Of one file and of all files, only so many broken references are reported; further ones are counted.
const (
	maxBrokenFile = 10
	maxBroken     = 100
)

const contentPrefix = "Content_"

// idKey identifies an id: its UUID, or half of its SHA-256.
type idKey [16]byte

func keyOf(id []byte) idKey {
	if key, ok := uuidKey(id); ok {
		return key
	}
	sum := sha256.Sum256(id)
	return idKey(sum[:])
}

// uuidKey reads the UUID of Content_<uuid>. An upper-case UUID is another id.
func uuidKey(id []byte) (key idKey, ok bool) {
	const form = contentPrefix + "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"
	if len(id) != len(form) {
		return key, false
	}
	n := 0
	for i, c := range id {
		switch {
		case i < len(contentPrefix) || form[i] == '-':
			if c != form[i] {
				return key, false
			}
			continue
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		default:
			return key, false
		}
		key[n/2] = key[n/2]<<4 | c
		n++
	}
	return key, true
}

type reference struct {
	id   idKey
	at   int64         // offset of the id in its part, then in its file
	from *mapping.Node // where in the items of its template; nil if that is not counted
}

// gather finds the references in an item's Data. It returns the Data with what is known of media files.
func (p *parser) gather(d *draft, data []byte, at int) []byte {
	if !mayRefer(data) {
		return data
	}
	g := gatherer{text: p.text[:at+len(data)], found: p.references}
	g.value(at)
	d.references = int32(len(g.found) - len(p.references))
	p.references = g.found
	if p.opts.Media != nil && len(g.media) > 0 {
		data = p.fillIn(data, at, g.media)
	}
	return data
}

// mayRefer rules out quickly texts without the string "Reference", even escaped.
func mayRefer(data []byte) bool {
	return bytes.Contains(data, []byte(`Reference"`)) || bytes.Contains(data, []byte(`\u00`))
}

type gatherer struct {
	text  []byte
	found []reference
	media []mediaRef
}

func (g *gatherer) value(at int) int {
	switch g.text[at] {
	case '{':
		return g.object(at)
	case '[':
		return jsoncursor.Children(g.text, at, func(_ []byte, at int) int { return g.value(at) })
	}
	return jsoncursor.ScalarEnd(g.text, at)
}

func (g *gatherer) object(at int) int {
	isReference, isContent, isMedia, ids := false, false, false, -1
	ref := mediaRef{at: at}
	end := jsoncursor.Children(g.text, at, func(name []byte, at int) int {
		end := g.value(at)
		switch {
		case jsoncursor.Spells(name, "Type"):
			isReference = jsoncursor.Spells(g.text[at:end], "Reference")
		case jsoncursor.Spells(name, "ReferenceType"):
			isContent, isMedia = jsoncursor.Spells(g.text[at:end], "Content"), jsoncursor.Spells(g.text[at:end], "Media")
		case jsoncursor.Spells(name, "ContentIDs") && g.text[at] == '[':
			ids = at
		case jsoncursor.Spells(name, "MediaUrl") && relative(g.text, at, end):
			ref.url, ref.urlEnd = at, end
		}
		return end
	})
	switch {
	case !isReference:
	case isContent && ids >= 0:
		g.ids(ids)
	case isMedia && ref.urlEnd > 0:
		g.named(ref, end)
	}
	return end
}

// named adds a reference to a media file.
func (g *gatherer) named(ref mediaRef, end int) {
	ref.end = end - 1
	jsoncursor.Children(g.text, ref.at, func(name []byte, at int) int {
		for i, member := range mediaMembers {
			ref.has[i] = ref.has[i] || jsoncursor.Spells(name, member)
		}
		return jsoncursor.ValueEnd(g.text, at)
	})
	g.media = append(g.media, ref)
}

func (g *gatherer) ids(at int) {
	jsoncursor.Children(g.text, at, func(_ []byte, at int) int {
		if g.text[at] == '"' {
			g.found = append(g.found, reference{id: keyOf(jsoncursor.StringAt(g.text, at)), at: int64(at)})
		}
		return jsoncursor.ValueEnd(g.text, at)
	})
}

type brokenRef struct {
	at    int64
	item  *Item  // the item it leads to, if there is one
	media *named // of a reference to a media file, or of a link
}

func (l *loader) references(site *Site, problems bool) error {
	lost := l.lost()
	var resolve func(*result) []brokenRef
	of, shown, rest, files := "", 0, 0, 0
	for i := range l.results {
		env := l.files[i].Env
		if len(l.results[i].references)+len(l.results[i].media) == 0 {
			continue
		}
		if env != of {
			resolve, of = l.resolver(site.env(env), problems || lost[env]), env
		}
		broken := resolve(&l.results[i])
		l.results[i].broken = len(broken) > 0
		if l.opts.Broken == BrokenPasses {
			continue
		}
		switch show := min(len(broken), maxBrokenFile, maxBroken-shown); {
		case show > 0:
			shown += show
			if err := l.reportBroken(i, broken, show); err != nil {
				return err
			}
		case len(broken) > 0:
			rest, files = rest+len(broken), files+1
		}
	}
	if rest > 0 {
		l.closing = append(l.closing, l.moreBroken("", rest, count(files, "more file")))
	}
	return nil
}

// resolver returns a function that finds a file's broken references. In an incomplete environment
// an unknown id is not broken.
func (l *loader) resolver(env *Env, incomplete bool) func(*result) []brokenRef {
	known := keysOf(env.Items)
	env.targets = mapping.Targets{}
	return func(from *result) (broken []brokenRef) {
		next, nextMedia := 0, 0
		for i := int(from.first); i < int(from.first+from.count); i++ {
			list := from.references[next : next+int(env.Items[i].references)]
			next += len(list)
			media := from.media[nextMedia : nextMedia+int(env.Items[i].media)]
			nextMedia += len(media)
			if !l.delivers(&env.Items[i]) {
				continue // the references of an item that is left out do not matter
			}
			for _, r := range list {
				switch i, ok := known[r.id]; {
				case ok && !l.delivers(&env.Items[i]):
					broken = append(broken, brokenRef{at: r.at, item: &env.Items[i]})
				case ok:
					env.targets.Add(r.from, env.Items[i].TemplateName)
				case !incomplete:
					broken = append(broken, brokenRef{at: r.at})
				}
			}
			for i := range media {
				n := &media[i]
				to, ok := known[keyOf([]byte(n.item))]
				switch {
				case n.fault != nil, n.link && n.item == "" && !incomplete:
					broken = append(broken, brokenRef{at: n.at, media: n})
				case n.link && ok:
					broken = append(broken, brokenRef{at: n.at, item: &env.Items[to], media: n})
				}
			}
		}
		slices.SortFunc(broken, func(a, b brokenRef) int { return cmp.Compare(a.at, b.at) })
		return broken
	}
}

func keysOf(items []Item) map[idKey]int32 {
	keys := make(map[idKey]int32, len(items))
	var id []byte
	for i := range items {
		id = append(id[:0], items[i].ContentID...)
		keys[keyOf(id)] = int32(i)
	}
	return keys
}

func (l *loader) delivers(it *Item) bool { return l.opts.delivers(it.Visibility()) }

func (o *Options) delivers(it visibility.Item) bool {
	return visibility.Visible(it, &o.Rules, o.At.UnixMilli())
}

// lost returns the environments with text that cannot be read, in which items may be.
func (l *loader) lost() map[string]bool {
	lost := make(map[string]bool)
	maps.Copy(lost, l.opts.Incomplete)
	for i := range l.results {
		if l.results[i].lost {
			lost[l.files[i].Env] = true
		}
	}
	return lost
}

func (l *loader) reportBroken(file int, broken []brokenRef, show int) error {
	f, report := &l.files[file], &l.results[file].report
	offsets := make([]int64, show)
	for i := range offsets {
		offsets[i] = broken[i].at
	}
	err := l.eachPlace(f, offsets, func(i int, v view) {
		d := Diagnostic{File: f.Name, Warning: l.opts.Broken == BrokenWarns}
		d.Line, d.Col = v.place()
		d.Message, d.Hint = l.explain(&broken[i], v)
		report.kept = append(report.kept, d)
	})
	if err != nil {
		return l.refuse(file, err)
	}
	if rest := len(broken) - show; rest > 0 {
		report.closing = append(report.closing, l.moreBroken(f.Name, rest, "this file"))
	}
	return nil
}

// explain returns the message about a broken reference, and the hint.
func (l *loader) explain(broken *brokenRef, v view) (message, hint string) {
	n, to := broken.media, broken.item
	switch {
	case n != nil && n.fault != nil:
		return fmt.Sprintf("%s names the file %s: %s", cmp.Or(v.path(), "the text"), documents.Quoted(n.url), n.fault.Message), n.fault.Hint
	case n != nil && to == nil:
		return "the text links to " + documents.Quoted(n.url) + ", which is not an item of this environment", "correct the path, which begins at this file's folder, or add the file"
	case n != nil:
		return l.explainHidden("the text links to "+documents.Quoted(n.url), "the link", to)
	}
	from, id := v.reference()
	from += " refers to " + documents.Quoted(id)
	if to == nil {
		return from + ", which is not an item of this environment", "add the item, or take its id out; ids are case-sensitive"
	}
	return l.explainHidden(from, "its id", to)
}

// explainHidden returns the message about a reference to an item that is left out. from begins the message, and what is
// what the author may take out.
func (l *loader) explainHidden(from, what string, to *Item) (message, hint string) {
	switch l.opts.Rules.Judge(to.Visibility(), l.opts.At.UnixMilli()) {
	case visibility.NotYetVisible:
		return fmt.Sprintf("%s, which is left out until %s, its PublishedAt", from, formatMilli(to.PublishedAt)),
			"wait, take " + what + " out, or deliver it with --scheduled"
	case visibility.NoLongerShown:
		return fmt.Sprintf("%s, which is left out since %s, its ExpiresAt", from, formatMilli(to.ExpiresAt)),
			"take " + what + " out, or deliver it with --expired"
	}
	return fmt.Sprintf("%s, which is left out: its Status is %s", from, documents.Quoted(to.Status)),
		"publish the item, take " + what + " out, or deliver it with --status"
}

func (l *loader) moreBroken(file string, n int, where string) Diagnostic {
	return Diagnostic{File: file, Message: "and " + count(n, "more broken reference") + " in " + where, Warning: l.opts.Broken == BrokenWarns}
}

func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Reference is an id that an item refers to, and where in the item.
type Reference struct{ Path, ID string }

// References finds the references in an item's text.
func References(text []byte) (found []Reference) {
	jsoncursor.Children(text, 0, func(name []byte, at int) int {
		if !jsoncursor.Spells(name, FieldNames[fieldData]) {
			return jsoncursor.ValueEnd(text, at)
		}
		g := gatherer{text: text}
		end := g.value(at)
		for _, r := range g.found {
			path, id := view{text: text, offset: int(r.at)}.reference()
			found = append(found, Reference{path, id})
		}
		return end
	})
	return found
}

// Referrers visits the ids of an environment's delivered items that refer to an item. It needs a
// Site loaded with Options.Cache.
func (s *Site) Referrers(env int, id string, visit func(from string)) {
	key := keyOf([]byte(id))
	for i := range s.results {
		from := s.results[i].parsed
		if from == nil || len(from.references) == 0 || s.files[i].Env != s.Envs[env].ID {
			continue
		}
		next := 0
		for j := range from.items {
			it := &from.items[j]
			list := from.references[next : next+int(it.references)]
			next += len(list)
			if s.opts.delivers(it.Visibility()) && slices.ContainsFunc(list, func(r reference) bool { return r.id == key }) {
				visit(it.ContentID)
			}
		}
	}
}
