// This file holds the Reader. Opening a snapshot takes work in proportion to the number of
// fields, not of items.

package snapshot

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"

	"contentedge/edgeserve/leftout"
)

// Reader is an open snapshot. It is safe for concurrent use. All returned bytes belong to
// the mapping and become invalid with Close.
type Reader struct {
	shares atomic.Int32 // in addition to the opener's; below 0 means closed

	data      []byte
	unmap     func() error
	meta      Meta
	toc       []entry
	fragments []byte
	starts    Packed
	fields    []*Field
	byPath    map[string]*Field
	ids       *Field
	out       leftout.Rules
	cache     *ItemCache // the items of a search-only snapshot; nil if they are fragments

	fieldsOnly bool // it represents a snapshot with documents; see FieldsOnly

	constants, numbers          sync.Once // of metadata fields
	indexName, typeName, number *Field
}

type Field struct {
	Path   string
	Type   Type
	Docs   int // text: documents with at least one token
	Tokens int // text: tokens of all documents

	Values // doc values of the path's own type

	subs   [SubCount]*Values
	hidden [SubCount]bool // a path of the same name exists
	terms  *Terms
	norms  DocMap
	grams  *Grams
	sort   *Column // REST order; nil means the column of Values
	no     uint32
	entry  []byte // entry in the Fields section

	once    sync.Once
	derived any
}

// Terms returns the term dictionary of a text field, nil for other types.
func (f *Field) Terms() *Terms { return f.terms }

// Norms maps documents to the encoded length of a text field. 0 means no token.
func (f *Field) Norms() *DocMap { return &f.norms }

// Sub returns the doc values of a sub-field, nil if no value parses as its type.
func (f *Field) Sub(s Sub) *Values { return f.subs[s] }

// Hidden reports whether a path has the sub-field's name. The name then means that path.
func (f *Field) Hidden(s Sub) bool { return f.hidden[s] }

// Grams returns the gram index of Strings, or nil.
func (f *Field) Grams() *Grams { return f.grams }

// SortColumn returns the values in the order of REST lists.
func (f *Field) SortColumn() *Column {
	if f.sort != nil {
		return f.sort
	}
	return f.column
}

// Open maps a snapshot file. The file must not be modified in place afterwards.
func Open(path string) (*Reader, error) {
	f, err := os.OpenFile(path, openFlags, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, unmap, err := mapFile(f)
	if err != nil {
		return nil, fmt.Errorf("snapshot %s: %w", path, err)
	}
	r, err := OpenBytes(data)
	if err != nil {
		unmap()
		return nil, fmt.Errorf("snapshot %s: %w", path, err)
	}
	r.unmap = unmap
	return r, nil
}

// OpenBytes reads a snapshot from memory. The bytes must not change. It refuses a search-only snapshot.
func OpenBytes(data []byte) (*Reader, error) {
	r, err := OpenAny(data)
	if err == nil && r.cache != nil {
		return nil, &SearchOnlyError{}
	}
	return r, err
}

// OpenAny reads a snapshot from memory as OpenBytes does, also a search-only one: its items are what the
// caller puts into its ItemCache.
func OpenAny(data []byte) (*Reader, error) {
	r := &Reader{data: data, byPath: map[string]*Field{}}
	if err := r.open(); err != nil {
		return nil, err
	}
	return r, nil
}

func (r *Reader) open() (err error) {
	defer Recover(&err)
	if err := r.openTable(); err != nil {
		return err
	}
	r.openFileSections()
	r.openFields()
	return nil
}

// Share lets one more caller close the Reader, and the last caller unmaps the file. It returns false if the Reader is
// closed already.
func (r *Reader) Share() bool {
	for {
		n := r.shares.Load()
		if n < 0 {
			return false
		}
		if r.shares.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// Close unmaps the file, unless others share the Reader. All bytes from the Reader become invalid then.
func (r *Reader) Close() error {
	if r == nil || r.shares.Add(-1) >= 0 || r.unmap == nil {
		return nil
	}
	u := r.unmap
	r.unmap, r.data, r.fragments = nil, nil, nil
	return u()
}

// Recover turns the panic of an out-of-bounds read, which only a damaged snapshot causes, into an
// error. Functions that walk a snapshot defer it once, at the API boundary.
func Recover(err *error) {
	switch p := recover().(type) {
	case nil:
	case *CorruptError:
		*err = p
	case interface {
		runtime.Error
		Addr() uintptr
	}:
		*err = &FaultError{Addr: p.Addr(), damage: CorruptError{"walk", p.Error()}}
	case runtime.Error:
		*err = &CorruptError{"walk", p.Error()}
	default:
		panic(p)
	}
}

func corrupt(what, format string, args ...any) error {
	return &CorruptError{what, fmt.Sprintf(format, args...)}
}

func (r *Reader) openTable() error {
	b := r.data
	if len(b) < headerLen+footerLen {
		return corrupt("header", "%d bytes are too few", len(b))
	}
	if string(b[:8]) != magic {
		return corrupt("header", "not a snapshot")
	}
	version := binary.LittleEndian.Uint32(b[8:])
	if version != Version && version != VersionSearchOnly {
		return &VersionError{version}
	}
	if binary.LittleEndian.Uint32(b[12:]) != byteOrderMark {
		return corrupt("header", "wrong byte order")
	}
	foot := b[len(b)-footerLen:]
	at, n := binary.LittleEndian.Uint64(foot), binary.LittleEndian.Uint32(foot[8:])
	if binary.LittleEndian.Uint32(foot[24:]) != frameSum(version, foot) || binary.LittleEndian.Uint32(foot[28:]) != footerMagic {
		return corrupt("footer", "checksum or end mark is wrong")
	}
	size := binary.LittleEndian.Uint64(foot[16:])
	if size != uint64(len(b)) {
		return corrupt("footer", "file of %d bytes, expected %d", len(b), size)
	}
	if at > size || size-at != uint64(n)*entryLen+footerLen {
		return corrupt("footer", "%d sections do not fit a table at %d", n, at)
	}
	toc := b[at : len(b)-footerLen]
	if crc32.Checksum(toc, crcTable) != binary.LittleEndian.Uint32(foot[12:]) {
		return corrupt("table of contents", "checksum is wrong")
	}
	return r.readEntries(toc, at)
}

func (r *Reader) readEntries(toc []byte, end uint64) error {
	r.toc = make([]entry, 0, len(toc)/entryLen)
	for ; len(toc) > 0; toc = toc[entryLen:] {
		e := entry{
			kind: kind(binary.LittleEndian.Uint32(toc)), field: binary.LittleEndian.Uint32(toc[4:]),
			off: binary.LittleEndian.Uint64(toc[8:]), n: binary.LittleEndian.Uint64(toc[16:]),
			crc: binary.LittleEndian.Uint32(toc[24:]),
		}
		if e.off%align != 0 || e.off > end || e.n > end-e.off {
			return corrupt("table of contents", "%s section outside the file", kindNames[e.kind])
		}
		if n := len(r.toc); n > 0 && compareEntries(r.toc[n-1], e) >= 0 {
			return corrupt("table of contents", "entry %d is not in order", n)
		}
		r.toc = append(r.toc, e)
	}
	return nil
}

func compareEntries(a, b entry) int {
	return cmp.Or(cmp.Compare(a.field, b.field), cmp.Compare(a.kind, b.kind))
}

// entriesOf returns the table's entries of a field.
func (r *Reader) entriesOf(field uint32) []entry {
	from, _ := slices.BinarySearchFunc(r.toc, entry{field: field}, compareEntries)
	n := 0
	for from+n < len(r.toc) && r.toc[from+n].field == field {
		n++
	}
	return r.toc[from : from+n]
}

// section returns the bytes of a section, nil if it does not exist.
func (r *Reader) section(k kind, field uint32) []byte {
	i, ok := slices.BinarySearchFunc(r.toc, entry{kind: k, field: field}, compareEntries)
	if !ok {
		return nil
	}
	e := r.toc[i]
	return r.data[e.off : e.off+e.n : e.off+e.n]
}

func (r *Reader) dec(k kind, field uint32) *decoder {
	return &decoder{b: r.section(k, field), what: kindNames[k]}
}

func (r *Reader) openFileSections() {
	d := r.dec(kindMeta, NoField)
	r.meta = Meta{Env: d.str(), Sort: d.str(), Asc: d.byte() == 1, Analysis: int(d.uvarint()), Items: d.count(1<<32 - 2)}
	if binary.LittleEndian.Uint32(r.data[8:]) == VersionSearchOnly {
		r.openItemSums()
	} else {
		r.openFragments()
	}
	r.openLeftOut()
}

func (r *Reader) openItemSums() {
	d := r.dec(kindItemSums, NoField)
	if len(d.b) != 4*r.meta.Items {
		d.fail("not one checksum an item")
	}
	r.cache = newItemCache(r, d.b)
}

func (r *Reader) openFragments() {
	r.fragments = r.section(kindFragments, NoField)
	s := r.dec(kindStarts, NoField)
	r.starts = s.packed()
	items, size := r.meta.Items, len(r.fragments)
	switch {
	case r.starts.n != items+1:
		s.fail("not one start an item")
	case items > 0 && r.starts.At(0) != 0 || r.starts.At(items) != uint64(size)+1:
		s.fail("fragments of another length")
	case items*minFragment > size+1:
		s.fail("more items than their fragments have room for")
	}
}

func (r *Reader) openLeftOut() {
	d := r.dec(kindLeftOut, NoField)
	if d.b == nil {
		return
	}
	r.out.Exclude, r.out.Include = d.paths(), d.paths()
	if err := r.out.Check(); err != nil {
		d.fail(err.Error())
	}
	if len(d.b) > 0 {
		d.fail("bytes after the last path")
	}
}

func (d *decoder) paths() (list []string) {
	for range d.count(leftout.MaxRules) {
		list = append(list, d.str())
	}
	return list
}

// minFragment is the length of "{},". It bounds the number of items, so the work per item.
const minFragment = len("{},")

func (r *Reader) openFields() {
	d := r.dec(kindFields, NoField)
	n := d.count(1 << 24)
	for i := range n {
		entry := d.b
		f := &Field{no: uint32(i), Path: d.str(), Type: Type(d.byte())}
		f.Docs, f.Tokens = d.count(r.meta.Items), d.count(1<<40)
		if int(f.Type) >= len(typeNames) {
			d.fail("unknown type of field")
		}
		if r.out.Covers(f.Path) {
			d.fail("a field whose path is left out")
		}
		(&setReader{r: r, f: f, d: d}).open()
		f.entry = entry[:len(entry)-len(d.b)]
		r.fields = append(r.fields, f)
		r.byPath[f.Path] = f
	}
	if len(d.b) > 0 {
		d.fail("bytes after the last one")
	}
	r.markHidden()
	r.openIDs()
}

// markHidden marks the sub-fields whose name is also a path.
func (r *Reader) markHidden() {
	for _, f := range r.fields {
		if i := strings.LastIndexByte(f.Path, '.'); i >= 0 {
			s, ok := FindSub(f.Path[i+1:])
			if of := r.byPath[f.Path[:i]]; ok && of != nil {
				of.hidden[s] = true
			}
		}
	}
}

// IDField is the path of the items' ids.
const IDField = "ContentID"

// openIDs validates the ContentID field, if it exists: every sort order relies on it.
func (r *Reader) openIDs() {
	if r.ids = r.byPath[IDField]; r.ids == nil {
		if r.cache != nil && r.meta.Items > 0 {
			panic(corrupt("fields", "a search-only snapshot whose items have no ids"))
		}
		return
	}
	c, n := r.ids.column, r.meta.Items
	if r.ids.strings == nil || !c.Single || c.Distinct != n || c.Pairs != n {
		panic(corrupt("fields", "ContentID does not name every item"))
	}
}

func (r *Reader) openText(f *Field) {
	f.terms = openTerms(r.section(kindTermIndex, f.no), r.section(kindTerms, f.no),
		r.section(kindPostings, f.no), r.section(kindPositions, f.no))
	f.norms = r.dec(kindNorms, f.no).docMap(r.meta.Items, 0)
	if g := r.section(kindGrams, f.no); g != nil {
		f.grams = openGrams(g)
	}
}

// Meta returns the description of the snapshot.
func (r *Reader) Meta() Meta { return r.meta }

// Env returns the environment's id.
func (r *Reader) Env() string { return r.meta.Env }

// Items returns the number of documents.
func (r *Reader) Items() int { return r.meta.Items }

// DefaultOrder returns the sort field and direction of the document numbers.
func (r *Reader) DefaultOrder() (field string, asc bool) { return r.meta.Sort, r.meta.Asc }

// LeftOut returns the rules of the paths that have no field though items may have them.
func (r *Reader) LeftOut() leftout.Rules { return r.out }

// Size returns the length of the file in bytes.
func (r *Reader) Size() int64 { return int64(len(r.data)) }

// Field returns the field of a path, nil if no item has the path.
func (r *Reader) Field(path string) *Field { return r.byPath[path] }

// Fields returns all fields in order of their paths.
func (r *Reader) Fields() []*Field { return r.fields }

// FieldsBelow returns the fields whose path begins with prefix.
func (r *Reader) FieldsBelow(prefix string) []*Field {
	lo := sort.Search(len(r.fields), func(i int) bool { return r.fields[i].Path >= prefix })
	hi := lo
	for hi < len(r.fields) && strings.HasPrefix(r.fields[hi].Path, prefix) {
		hi++
	}
	return r.fields[lo:hi]
}

// Fragment returns the JSON of a document.
func (r *Reader) Fragment(d DocID) []byte { return r.Fragments(d, d+1) }

// Fragments returns the JSON of the documents in [from, to), joined by commas.
func (r *Reader) Fragments(from, to DocID) []byte {
	if from >= to {
		return nil
	}
	if r.cache != nil {
		return r.cache.joined(from, to)
	}
	a, b := int(r.starts.At(int(from))), int(r.starts.At(int(to)))-1
	return section("fragments", r.fragments, a, b-a)
}

// Lookup finds a document by its ContentID.
func (r *Reader) Lookup(id string) (DocID, bool) {
	if r.ids == nil {
		return 0, false
	}
	ord, ok := r.ids.strings.Find([]byte(id))
	if !ok {
		return 0, false
	}
	return r.ids.column.Doc(r.ids.column.Start(ord)), true
}

// IDRank returns a document's rank by ContentID, the last key of every sort.
func (r *Reader) IDRank(d DocID) int {
	if r.ids == nil {
		return int(d)
	}
	return r.ids.column.Least(d)
}

// Derived returns a value that is computed once per field and then shared.
func (f *Field) Derived(compute func() any) any {
	f.once.Do(func() { f.derived = compute() })
	return f.derived
}
