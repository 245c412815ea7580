// This file loads files in parallel, with the same result for any number of workers. Only the texts
// being parsed are in memory.

package model

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"time"

	"contentedge/edgeserve/engine/parallel"
	"contentedge/generator/mapping"
	"contentedge/generator/source"
	"contentedge/generator/source/documents"
	"contentedge/generator/source/media"
	"contentedge/generator/visibility"
)

// Options says what to load, and how strictly.
type Options struct {
	Rules    visibility.Rules // which items are kept
	At       time.Time        // when: later items are scheduled, earlier ones have expired; zero: the machine's time
	Strict   bool             // warnings are errors, except notes
	Broken   Broken           // how references that lead nowhere are reported
	Sink     func() TextSink  // makes the sinks of the items' texts; nil: texts are dropped
	Progress func(items int)  // told how many items were read so far; may be nil

	LeftOut map[string]LeftOut // by environment: the paths that are not searched

	OrderPath string // a path of Data that items are ordered by, which fills Item.Order; may be ""
	OrderAsc  bool

	MaxPaths int // refuse an environment with more paths that are searched; 0 means unlimited

	ListPaths []string // paths of Data that lists have as filters, which fill Item.Listed

	Incomplete map[string]bool // environments of which files are missing: ids that they lack may be there

	Media *media.Resolver // finds the media files that items name; nil: URLs stay as they are

	Carried map[string]*Carried // by environment: facts about the environments that are not read; their files are not in the tree

	Cache *ParseCache // of earlier Loads; this Load adds to it. It has the Sink. Nil: no cache
}

// Load reads the files of a tree. Its diagnostics include the problems of the tree; diagnostics with a place come
// first, sorted. If a diagnostic is an error the Site is nil. The error that Load returns is the system's or the
// context's.
func Load(ctx context.Context, tree *source.Tree, opts Options) (*Site, []Diagnostic, error) {
	if opts.Media != nil {
		opts.Media.Begin()
		tree.SetAnswerer(documents.MediaQuestion, opts.Media.Answer)
	}
	if opts.At.IsZero() {
		opts.At = time.Now()
	}
	tree.SetVisible(opts.delivers)
	l := &loader{ctx: ctx, tree: tree, opts: opts, files: tree.Files, results: make([]result, len(tree.Files))}
	if err := l.run(); err != nil {
		return nil, nil, err
	}
	site := l.site(tree.Envs)
	l.carry(site)
	l.opts.Cache.keep(l)
	l.fields(site)
	if err := l.checkPaths(site); err != nil {
		return nil, nil, err
	}
	l.clashes(site)
	if err := l.references(site, len(tree.Problems) > 0); err != nil {
		return nil, nil, err
	}
	l.templates(site)
	diagnostics := l.diagnostics(tree)
	l.media(site)
	if !failed(diagnostics) {
		diagnostics = append(diagnostics, l.selectDelivered(site)...)
		diagnostics = append(append(diagnostics, l.unusedOrder(site)...), l.unused...)
		diagnostics = append(diagnostics, l.leftOutOrder(site)...)
		found, err := l.aboutFields(site)
		if err != nil {
			return nil, nil, err
		}
		diagnostics = append(diagnostics, found...)
		if l.unknown {
			return nil, nil, ErrUnknown
		}
		l.quiet(site, l.misspeltStatuses)
	}
	if opts.Strict {
		for i := range diagnostics {
			diagnostics[i].Warning = diagnostics[i].Note
		}
	}
	if failed(diagnostics) {
		return nil, diagnostics, nil
	}
	if opts.Cache != nil {
		opts.Cache.forget(l)
		opts.Media.Forget()
		site.files, site.results, site.opts = l.files, l.results, opts
	}
	return site, diagnostics, nil
}

type result struct {
	large  bool    // it is read in parts by all workers
	lost   bool    // some of its items may be unknown, because of errors
	first  int32   // the position of its first item in the environment
	count  int32   // the number of its items
	parts  []part  // the parsed parts, until they are joined
	parsed *parsed // the whole, if it is cached
	report report  // of the whole file, with findings that need other files too

	references []reference // of all its items
	media      []named     // of all its items

	facts   bool // its items depend on more than the files of their environment, and the time
	broken  bool // some references lead nowhere
	repeats repeats
}

type loader struct {
	ctx     context.Context
	tree    *source.Tree
	opts    Options
	files   []source.File
	results []result
	parsers []*parser      // one a worker
	numbers map[string]int // of files by name; made when a clash needs it
	closing []Diagnostic   // reported after the diagnostics of the files
	repeats repeats        // of all files

	misspeltStatuses map[string]bool // that were reported
	warned           map[string]bool // environments with warnings about paths or rules
	unknown          bool            // a finding needs an environment that was not read
	unused           []Diagnostic    // about rules that leave out nothing

	identities []source.Identity // of the files when they were read; nil without a cache

	mu     sync.Mutex // guards what follows, and calls of opts.Progress
	loaded int
}

// run reads small files in parallel, then each large file with all workers.
func (l *loader) run() error {
	l.parsers = l.opts.workers(l.ctx, l.tree)
	if l.opts.Cache != nil {
		l.identities = make([]source.Identity, len(l.files))
	}
	if err := l.small(); err != nil {
		return err
	}
	for i := range l.results {
		if l.results[i].large {
			if err := l.inParts(i); err != nil {
				return err
			}
		}
	}
	for _, p := range l.parsers {
		if p.sink != nil {
			if err := p.sink.Flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (o *Options) workers(ctx context.Context, tree *source.Tree) (parsers []*parser) {
	if o.Cache != nil {
		return o.Cache.workers(ctx, tree, o)
	}
	for range runtime.GOMAXPROCS(0) {
		var sink TextSink
		if o.Sink != nil {
			sink = o.Sink()
		}
		parsers = append(parsers, newParser(ctx, tree, o, sink))
	}
	return parsers
}

func (l *loader) small() error {
	return parallel.Each(l.ctx, len(l.parsers), len(l.files), func(worker, i int) error { return l.file(l.parsers[worker], i) })
}

func (l *loader) file(p *parser, i int) error {
	if taken, err := l.take(i); taken || err != nil {
		return err
	}
	r, err := l.files[i].Open()
	if err != nil {
		return l.refuse(i, err)
	}
	defer r.Close()
	if l.opts.Cache != nil {
		l.identities[i] = r.Identity()
	}
	if r.InParts() {
		l.results[i].large = true
		return nil
	}
	text, err := r.All()
	if err == nil {
		text, err = documents.Decode(text)
	}
	if err != nil {
		return l.refuse(i, err)
	}
	if documents.Blank(text) && !l.files[i].Format.MayBeEmpty {
		return l.refuse(i, documents.ErrEmpty)
	}
	return l.part(p, i, 0, 0, text)
}

// refuse reports why a file cannot be read, or returns err if the content is not to blame.
func (l *loader) refuse(i int, err error) error {
	result := &l.results[i]
	var problem *source.Problem
	var fault *documents.FileFault
	switch {
	case errors.As(err, &problem):
		result.report = report{}
		result.report.add(diagnosticOf(*problem))
	case errors.As(err, &fault):
		result.report = report{}
		result.report.add(Diagnostic{File: l.files[i].Name, Line: fault.Line, Col: 1, Message: fault.Message, Hint: fault.Hint})
	default:
		return err
	}
	result.parts, result.parsed, result.lost = nil, nil, true
	return nil
}

func (l *loader) part(p *parser, file, i int, base int64, text []byte) error {
	p.base = mapping.Place{File: file, Offset: base}
	if l.opts.Cache != nil {
		p.base.Offset = 0 // the record may be used for the same text elsewhere
	}
	out := p.parse(&l.files[file], text)
	if l.opts.Cache != nil {
		out.more = &partMore{by: p.recorder, records: slices.Clone(p.records)}
	}
	return cmp.Or(l.add(file, i, out), p.err)
}

func (l *loader) add(file, i int, out part) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	result := &l.results[file]
	for len(result.parts) <= i {
		result.parts = append(result.parts, part{})
	}
	result.parts[i] = out
	if l.loaded += len(out.items); l.opts.Progress != nil {
		l.opts.Progress(l.loaded)
	}
	return l.ctx.Err()
}

// site puts the items in source order. An environment's files are adjacent, sorted by path.
func (l *loader) site(ids []string) *Site {
	counts := make(map[string]int, len(ids))
	for i := range l.results {
		counts[l.files[i].Env] += l.results[i].items()
	}
	site := &Site{}
	for _, id := range ids {
		site.Envs = append(site.Envs, Env{ID: id, Items: make([]Item, 0, counts[id]), LeftOut: l.opts.LeftOut[id].Rules})
	}
	for i := range l.results {
		if env := site.env(l.files[i].Env); env != nil {
			env.Items = l.collect(env.Items, i)
		}
	}
	return site
}

// items counts the items of a file; none of one that cannot be read.
func (r *result) items() (n int) {
	if r.parsed != nil {
		return len(r.parsed.items)
	}
	for i := range r.parts {
		n += len(r.parts[i].items)
	}
	return n
}

func (l *loader) collect(items []Item, file int) []Item {
	result := &l.results[file]
	from, first := result.parsed, len(items)
	switch {
	case from != nil:
		items = append(items, from.items...)
	case len(result.parts) == 0:
		return items // the file cannot be read
	case l.opts.Cache != nil:
		from = l.joinParts(file, make([]Item, 0, result.items()))
		items = append(items, from.items...)
	default: // there may be millions: no copy
		from = l.joinParts(file, items)
		items = items[:first+len(from.items)]
	}
	result.parts, result.first, result.count, result.references = nil, int32(first), int32(len(items)-first), from.references
	result.media = from.media
	if l.opts.Cache != nil {
		result.parsed = from
	}
	for i := first; i < len(items); i++ {
		items[i].File = &l.files[file]
	}
	result.lost, result.facts, result.repeats = result.lost || from.lost, slices.ContainsFunc(from.facts, fact.outside), from.repeats
	result.report = from.report.clone()
	for _, more := range from.repeats {
		l.repeats.add(more)
	}
	return items
}

func (l *loader) diagnostics(tree *source.Tree) []Diagnostic {
	files := make(map[string][]Diagnostic)
	var names []string
	add := func(name string, list []Diagnostic) {
		if _, ok := files[name]; !ok && len(list) > 0 {
			names = append(names, name)
		}
		if len(list) > 0 {
			files[name] = append(files[name], list...)
		}
	}
	for _, problem := range tree.Problems {
		add(problem.Path, []Diagnostic{diagnosticOf(problem)})
	}
	for i := range l.results {
		add(l.files[i].Name, l.results[i].report.list(l.files[i].Name))
	}
	slices.Sort(names)
	var all []Diagnostic
	for _, name := range names {
		all = append(all, files[name]...)
	}
	all = append(all, l.closing...)
	for _, passed := range tree.Skipped {
		passed, counts := passed.Without(l.namedFiles(passed.Env))
		if !counts {
			continue
		}
		d := diagnosticOf(passed)
		if passed.Env == "" || l.hasItems(passed.Env) {
			d.Warning, d.Note = true, true
		} else {
			d.Message = "the environment has no items, but " + d.Message
			if !passed.Readable {
				d.Hint = noItemsHint
			}
		}
		all = append(all, d)
	}
	return append(all, l.repeats.list()...)
}

var noItemsHint = "write the items into Markdown files, or into " + documents.Extensions("or") + ` files; if nothing here is content, begin the names with "_" or remove the folder`

// hasItems reports whether the files of an environment have items, or are wrong and may have some.
func (l *loader) hasItems(env string) bool {
	if l.opts.Carried[env].hasItems() {
		return true
	}
	for i := range l.results {
		if r := &l.results[i]; l.files[i].Env == env && (r.count > 0 || r.report.errors > 0 || r.lost) {
			return true
		}
	}
	return false
}

func diagnosticOf(p source.Problem) Diagnostic {
	return Diagnostic{File: p.Path, Line: p.Line, Col: p.Col, Message: p.Message, Hint: p.Hint}.bounded()
}
