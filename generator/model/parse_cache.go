// This file caches the parsed form of files, so that the next Load reads only files that changed.

package model

import (
	"cmp"
	"context"
	"hash/maphash"
	"reflect"
	"runtime"
	"slices"

	"contentedge/generator/mapping"
	"contentedge/generator/source"
	"contentedge/generator/source/documents"
)

// parsed is the result of parsing one file. It does not depend on Options, and does not change.
type parsed struct {
	items      []Item // without File
	references []reference
	media      []named
	records    []partRecords // of the items' values; nil without a cache
	report     report
	repeats    repeats
	facts      []fact // that the items depend on
	lost       bool   // some of its items may be unknown, because of errors

	parts    []cut // of a file that was read in parts
	bySum    map[textSum]int
	identity source.Identity
	rule     string
	texts    int64 // bytes given to the sink
}

// partRecords are records of the items before item end of a part, which begins at base.
type partRecords struct {
	by   *mapping.Recorder
	list []byte
	end  int
	base int64
}

// cut is a part of a parsed file: where it begins, and the results that the whole no longer separates.
type cut struct {
	part
	items, references, media [2]int // the first index of the part in the whole, and the end
	lines                    int
	offset                   int64
}

type partMore struct {
	by      *mapping.Recorder
	records []byte // of the items' values
	sum     textSum
}

type textSum [2]uint64

// seeds are random for each process, as sums are not stored.
var seeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

func sumOf(text []byte) textSum {
	return textSum{maphash.Bytes(seeds[0], text), maphash.Bytes(seeds[1], text)}
}

// keptPart is part, but takes a part from the cache if the cache has the text.
func (l *loader) keptPart(p *parser, file, i int, base int64, text []byte) error {
	sum := sumOf(text)
	if out, ok := l.opts.Cache.part(l.files[file].Path, sum); ok {
		if current, err := l.current(out.facts); current || err != nil {
			return cmp.Or(err, l.add(file, i, out))
		}
	}
	if err := l.part(p, file, i, base, text); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.results[file].parts[i].more.sum = sum
	return nil
}

// part returns the cached result for a part of a file, wherever the text stood in the file.
func (k *ParseCache) part(path string, sum textSum) (out part, ok bool) {
	from := k.files[path]
	if from == nil {
		return out, false
	}
	i, ok := from.bySum[sum]
	if !ok {
		return out, false
	}
	c := &from.parts[i]
	out = c.part
	out.items = slices.Clone(from.items[c.items[0]:c.items[1]])
	for j := range out.items {
		out.items[j].Line -= int64(c.lines)
		out.items[j].idAt -= c.offset
	}
	out.references = slices.Clone(from.references[c.references[0]:c.references[1]])
	for j := range out.references {
		out.references[j].at -= c.offset
	}
	out.media = slices.Clone(from.media[c.media[0]:c.media[1]])
	for j := range out.media {
		out.media[j].at -= c.offset
	}
	out.more = &partMore{from.records[i].by, from.records[i].list, sum}
	return out, true
}

// joinParts joins the parts of a file that was read. It appends the items to others if there is room.
func (l *loader) joinParts(file int, others []Item) *parsed {
	result := &l.results[file]
	all := &parsed{items: others[len(others):], references: result.parts[0].references, media: result.parts[0].media}
	if l.opts.Cache != nil {
		all.identity, all.rule = l.identities[file], l.files[file].Rule
	}
	lines, size := 0, int64(0)
	for i := range result.parts {
		part := &result.parts[i]
		if i > 0 {
			for _, r := range part.references {
				r.at += size
				all.references = append(all.references, r)
			}
			for _, n := range part.media {
				n.at += size
				all.media = append(all.media, n)
			}
		}
		all.take(part.items, lines, size)
		if more := part.more; more != nil {
			all.records = append(all.records, partRecords{more.by, more.records, len(all.items), size})
		}
		all.lost = all.lost || part.lost
		all.facts = append(all.facts, part.facts...)
		all.report.merge(&part.report, lines)
		for _, more := range part.repeats {
			more.first.Line += lines
			all.repeats.add(more)
		}
		if part.more != nil && part.more.sum != (textSum{}) {
			all.remember(part, lines, size)
		}
		lines += part.lines
		size += int64(part.size)
		part.items, part.references, part.media = nil, nil, nil
	}
	return all
}

func (f *parsed) take(items []Item, line int, offset int64) {
	first := len(f.items)
	f.items = append(f.items, items...)
	for i := first; i < len(f.items); i++ {
		it := &f.items[i]
		it.Line += int64(line)
		it.idAt += offset
		it.File = nil // File belongs to one Load
		f.texts += int64(it.Text.Size)
	}
}

func (f *parsed) remember(p *part, lines int, offset int64) {
	if f.bySum == nil {
		f.bySum = map[textSum]int{}
	}
	c := cut{part: *p, lines: lines, offset: offset}
	c.items = [2]int{len(f.items) - len(p.items), len(f.items)}
	c.references = [2]int{len(f.references) - len(p.references), len(f.references)}
	c.media = [2]int{len(f.media) - len(p.media), len(f.media)}
	c.part.items, c.part.references, c.part.media, c.part.more = nil, nil, nil, nil // the whole has them
	f.bySum[p.more.sum] = len(f.parts)
	f.parts = append(f.parts, c)
}

// ParseCache holds the parsed form of files between Loads. One Load at a time uses it. After a system
// error no Load may use it.
type ParseCache struct {
	sink  func() TextSink
	limit int64 // of bytes in memory

	parsers []*parser
	files   map[string]*parsed // by path
	bytes   int64
	texts   int64 // bytes of the texts in the sink that are in use
}

// NewParseCache returns an empty cache of about limit bytes at most. Each Load reads the files beyond
// the limit again. The sinks have the texts.
func NewParseCache(limit int64, sink func() TextSink) *ParseCache {
	return &ParseCache{sink: sink, limit: limit, files: map[string]*parsed{}}
}

// Memory is the approximate size of the cache in bytes.
func (k *ParseCache) Memory() int64 { return k.bytes }

// Garbage counts the bytes of texts in the sinks: of texts in use, and of texts that are not.
func (k *ParseCache) Garbage() (used, garbage int64) {
	written := int64(0)
	for _, p := range k.parsers {
		written += p.written
	}
	return k.texts, written - k.texts
}

func (k *ParseCache) workers(ctx context.Context, tree *source.Tree, o *Options) []*parser {
	for len(k.parsers) < runtime.GOMAXPROCS(0) {
		k.parsers = append(k.parsers, newParser(ctx, tree, o, k.sink()))
	}
	for _, p := range k.parsers {
		p.ctx, p.answers, p.opts = ctx, newAnswers(ctx, tree), o
		clear(p.readers) // the readers for rules belong to one tree
	}
	return k.parsers
}

// take takes a file from the cache if neither the file nor a fact that it depends on has changed.
func (l *loader) take(file int) (taken bool, err error) {
	if l.opts.Cache == nil {
		return false, nil
	}
	known := l.opts.Cache.files[l.files[file].Path]
	if known == nil || known.rule != l.files[file].Rule || known.identity.Young() || !known.identity.Same(l.files[file].Identity()) {
		return false, nil
	}
	if current, err := l.current(known.facts); !current || err != nil {
		return false, err
	}
	l.results[file].parsed = known
	return true, nil
}

func (k *ParseCache) keep(l *loader) {
	if k == nil {
		return
	}
	files := make(map[string]*parsed, len(l.files))
	k.bytes, k.texts = 0, 0
	for i := range l.results {
		from := l.results[i].parsed
		if from == nil {
			continue
		}
		if size := from.memory(); k.bytes+size <= k.limit {
			k.bytes += size
			k.texts += from.texts
			files[l.files[i].Path] = from
		}
	}
	k.files = files
}

func (k *ParseCache) forget(l *loader) {
	for i := range l.results {
		if from := l.results[i].parsed; from != nil && k.files[l.files[i].Path] != from {
			l.results[i].parsed = nil
		}
	}
}

func (f *parsed) memory() int64 {
	n := sizeOf[parsed]() + 100
	n += len(f.items)*sizeOf[Item]() + len(f.references)*sizeOf[reference]() + len(f.media)*sizeOf[named]()
	for _, fact := range f.facts {
		n += sizeOf[documents.Question]() + len(fact.question.Path) + len(fact.question.Key) + len(fact.answer)
	}
	for i := range f.items {
		n += len(f.items[i].ContentID) + len(f.items[i].Name)
		if page := f.items[i].page; page != nil {
			n += sizeOf[documents.PagePath]() + len(page.Path) + len(page.Language)
		}
	}
	for _, r := range f.records {
		n += len(r.list) + sizeOf[partRecords]()
	}
	return int64(n)
}

// sizeOf returns the bytes of a value of type T, without what it points to.
func sizeOf[T any]() int { return int(reflect.TypeFor[T]().Size()) }
