// This file records what a release was made of, so that the next process reads and writes only what changed.

package generator

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"contentedge/edgeserve/engine/releasedir"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator/checksums"
	"contentedge/generator/model"
	"contentedge/generator/output"
	"contentedge/generator/plan"
	"contentedge/generator/source"
	"contentedge/generator/writer"
)

// inputsFormat is the version of the note.
const inputsFormat = 2

// inputs describe the sources of the current release.
type inputs struct {
	Format       int                   `json:"format"`
	Program      string                `json:"program"` // its digest: other programs may make other bytes of the same content
	Options      string                `json:"options"` // of the build, as far as items and files depend on them
	Build        string                `json:"build"`   // the release
	Environments map[string]*envInputs `json:"environments"`
	Withdrawn    map[string][]string   `json:"withdrawn,omitempty"` // by environment: ids of items that are held back on purpose
}

// Withdrawn returns the ids of items that the current release in an output directory holds back on purpose, by
// environment: scheduled and expired ones, and items whose status means "not public". It returns nil if the build that
// made the release left no note.
func Withdrawn(out string) map[string][]string {
	dir, err := output.Current(out)
	var in inputs
	if err != nil || json.Unmarshal(output.Inputs(out), &in) != nil || in.Build != filepath.Base(dir) {
		return nil
	}
	return in.Withdrawn
}

// envInputs describe the sources of an environment. Without Items the environment is read again.
type envInputs struct {
	Inputs  string         `json:"inputs,omitempty"` // what the system says of its files
	Part    release.Part   `json:"part"`
	Files   int            `json:"files"` // as the manifest counts them
	Bytes   int64          `json:"bytes"`
	Items   *model.Carried `json:"items,omitempty"`
	Summary *plan.Summary  `json:"summary,omitempty"`
	Report  EnvReport      `json:"report"`
}

// program returns a digest of the running program, or "" if it cannot be read.
var program = sync.OnceValue(func() string {
	f, err := os.Open("/proc/self/exe") // of Linux: the file itself, though another may have its name now
	if err != nil {
		path, e := os.Executable()
		if f, err = os.Open(path); e != nil || err != nil {
			return ""
		}
	}
	defer f.Close()
	_, sum, err := checksums.Digest(f)
	if err != nil {
		return ""
	}
	return sum
})

// noted returns the note of the release in dir, if this program made it; otherwise nil. It reads a note once.
func (s *Session) noted(dir string) *inputs {
	of := func(in *inputs) bool { return in != nil && in.Build == filepath.Base(dir) }
	if dir != "" && !of(s.known) {
		s.known = readInputs(s.c.Out)
	}
	if !of(s.known) {
		return nil
	}
	return s.known
}

// readInputs reads the note; nil if another program made it.
func readInputs(out string) *inputs {
	var in inputs
	if json.Unmarshal(output.Inputs(out), &in) != nil || in.Format != inputsFormat || in.Program == "" || in.Program != program() {
		return nil
	}
	return &in
}

// inputOptions digests the options that the items and the files of environments depend on.
func (c *BuildConfig) inputOptions(v View, environments int) string {
	rules, _ := v.rules(c)
	return release.HexSHA256(fmt.Appendf(nil, "%+v %v %q %q %q %d %q %q %d %d %q %q %t %v %d", rules, c.DateFromFile, c.BrokenRefs, c.Lists, c.Order, c.PageSize, c.Orders,
		c.PageSizes, c.MaxValues, c.MaxPages, c.Target, c.Compress, c.CompressBest, c.SnapshotOnly, model.CarriedWith(environments)))
}

// carry finds the environments that need not be read, and takes their files out of the tree.
func (s *Session) carry(tree *source.Tree, v View, at time.Time) map[string]*model.Carried {
	s.found = tree.Inputs()
	s.carried = nil
	c := &s.c
	if !s.carries || c.Full || c.CheckFiles || s.plans || !address.IsScalar(s.o.Defaults.Sort) || len(tree.Problems) > 0 {
		return nil
	}
	dir, err := output.Current(c.Out)
	if err != nil {
		return nil // the release that begins reports it
	}
	known := s.noted(dir)
	if known == nil || known.Options != c.inputOptions(v, len(tree.Envs)) {
		return nil
	}
	rows, _, err := releasedir.ReadRows(dir)
	if err != nil {
		return nil // the build replaces a damaged release
	}
	s.carried = map[string]*envInputs{}
	items := map[string]*model.Carried{}
	for _, env := range tree.Envs {
		e, row := known.Environments[env], rows.Environment(env)
		if e != nil && e.Items != nil && e.Summary != nil && row != nil && e.Inputs != "" && e.Inputs == s.found[env] && e.Part == row.Part() && e.Items.Hidden.Interval.Holds(at.UnixMilli()) {
			e.Items.Hidden.Withdrawn = known.Withdrawn[env]
			s.carried[env], items[env] = e, e.Items
		}
	}
	tree.Without(func(env string) bool { return s.carried[env] != nil })
	return items
}

// note records what a release was made of.
func (s *Session) note(tx *output.Tx, p *prepared, m *release.Manifest, r *Report) error {
	in := inputs{Format: inputsFormat, Program: program(), Options: s.c.inputOptions(p.view, len(p.site.Envs)), Build: m.Build, Environments: map[string]*envInputs{}}
	if in.Program == "" || len(m.Environments) != len(p.site.Envs) {
		return nil
	}
	for i := range m.Environments {
		e := &m.Environments[i]
		if ids := p.site.Envs[i].Hidden.Withdrawn; len(ids) > 0 {
			in.withdraw(e.ID, ids)
		}
		if known := s.carried[e.ID]; known != nil {
			in.Environments[e.ID] = known
			continue
		}
		of := &envInputs{Inputs: s.found[e.ID], Part: e.Part(), Files: e.Files, Bytes: e.Bytes, Report: r.Environments[i]}
		if of.Items = p.site.Carried(i); of.Items != nil && of.Inputs != "" && len(p.noted[e.ID]) == 0 {
			of.Summary = &p.summaries[i]
		} else {
			of.Inputs, of.Items = "", nil
		}
		in.Environments[e.ID] = of
	}
	s.known = &in
	b, err := json.Marshal(&in)
	if err != nil {
		return err
	}
	return tx.WriteInputs(b)
}

// withdraw notes items that are held back on purpose.
func (in *inputs) withdraw(env string, ids []string) {
	if in.Withdrawn == nil {
		in.Withdrawn = map[string][]string{}
	}
	in.Withdrawn[env] = ids
}

// writerCarried returns the facts that the writer needs about an environment that was not read.
func (e *envInputs) writerCarried() *writer.Carried {
	if e == nil {
		return nil
	}
	return &writer.Carried{Files: e.Files, Bytes: e.Bytes, SnapshotBytes: e.Report.SnapshotBytes}
}
