// This file builds the valid items of content that also has invalid files.

package generator

import (
	"context"
	"errors"
	"slices"

	"contentedge/generator/model"
	"contentedge/generator/source"
)

// maxBadRounds bounds how often content is loaded again without the files that were found wrong.
const maxBadRounds = 10

// prepareGood is prepare. With View.LeaveOutBad it leaves out files that are wrong, and returns what is wrong with
// them. If nothing is left, or something else is wrong, it fails as prepare does.
func (s *Session) prepareGood(ctx context.Context, v View) (p *prepared, bad []Diagnostic, err error) {
	s.bad = nil
	var first error
	for range maxBadRounds {
		p, err = s.prepare(ctx, v, model.Options{Cache: s.cache}, s.file)
		if first == nil {
			first = err
		}
		var content *ContentError
		if !v.LeaveOutBad || !errors.As(err, &content) || !s.leaveOut(content.Diagnostics) {
			break
		}
		bad = append(bad, slices.DeleteFunc(slices.Clone(content.Diagnostics), func(d Diagnostic) bool { return d.Warning })...)
	}
	if err != nil || len(bad) > 0 && p.items() == 0 {
		return nil, nil, first
	}
	return p, bad, nil
}

// withoutBad takes files that are wrong out of a tree. It returns the environments that lack some of theirs.
func (s *Session) withoutBad(tree *source.Tree) map[string]bool {
	s.listed = map[string]bool{}
	incomplete := map[string]bool{}
	tree.WithoutFiles(func(f *source.File) bool {
		s.listed[f.Name] = true
		incomplete[f.Env] = incomplete[f.Env] || s.bad[f.Name]
		return s.bad[f.Name]
	})
	return incomplete
}

// items counts the items that are delivered or left out.
func (p *prepared) items() (n int) {
	for i := range p.site.Envs {
		n += len(p.site.Envs[i].Items) + leftOut(&p.site.Envs[i]).Items()
	}
	return n
}

// leaveOut records the invalid files. It reports whether the next load has fewer.
func (s *Session) leaveOut(found []Diagnostic) bool {
	if s.bad == nil {
		s.bad = map[string]bool{}
	}
	before := len(s.bad)
	for _, d := range found {
		if !d.Warning && s.listed[d.File] {
			s.bad[d.File] = true
		}
	}
	return len(s.bad) > before
}
