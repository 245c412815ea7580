// This file makes the sites whose growth is measured, edits and builds them.

package releasebench

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"bench/corpus"
)

// site is content with what runs over it.
type site struct {
	content, public string
	env, item       string // the item that is edited
	file            string // that has it
	edits           int
	nodes           []*process // to stop at the end
	store           *objectStore
}

func (s *site) stop() {
	for _, n := range s.nodes {
		n.stop()
	}
	if s.store != nil {
		s.store.stop()
	}
}

// layEnvironments makes environments of 20 items, each in one file.
func layEnvironments(n int, dir string) (*site, error) {
	s := &site{content: filepath.Join(dir, "content")}
	items := corpus.Synthetic(perEnvironment * min(n, 50))
	for i := range n {
		env := fmt.Sprintf("tenant%06d", i)
		file := filepath.Join(s.content, env, "items.ndjson")
		at := perEnvironment * (i % 50)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return nil, err
		}
		if err := corpus.WriteFile(file, items[at:at+perEnvironment]); err != nil {
			return nil, err
		}
		if i == n/2 {
			s.env, s.file, s.item = env, file, idOf(items[at])
		}
	}
	return s, nil
}

// layItems makes one environment, with a file for each item, as people edit them.
func layItems(n int, dir string) (*site, error) {
	s := &site{content: filepath.Join(dir, "content"), env: Env}
	for i, item := range corpus.Synthetic(n) {
		folder := filepath.Join(s.content, Env, fmt.Sprintf("%04d", i/perFolder))
		if i%perFolder == 0 {
			if err := os.MkdirAll(folder, 0o755); err != nil {
				return nil, err
			}
		}
		file := filepath.Join(folder, fmt.Sprintf("item%06d.json", i))
		if err := os.WriteFile(file, item, 0o644); err != nil {
			return nil, err
		}
		if i == n/2 {
			s.file, s.item = file, idOf(item)
		}
	}
	return s, nil
}

func idOf(item []byte) string {
	if m := ids.FindSubmatch(item); m != nil {
		return string(m[1])
	}
	return ""
}

// edit gives the item a new name and returns it.
func (s *site) edit() (mark string, err error) {
	text, err := os.ReadFile(s.file)
	if err != nil {
		return "", err
	}
	at := names.FindIndex(text)
	if at == nil {
		return "", fmt.Errorf("%s: no item was found", s.file)
	}
	s.edits++
	mark = fmt.Sprintf("edit%d-%d", s.edits, time.Now().UnixNano())
	return mark, os.WriteFile(s.file, bytes.Join([][]byte{text[:at[1]], text[at[1]:]}, []byte(mark+" ")), 0o644)
}

func (g *growth) build(s *site) (figures, error) {
	u, err := g.generate(s.content, s.public)
	return figures{cpu: u.cpu.Seconds(), peak: u.peak}, err
}

func (g *growth) verify(s *site) (figures, error) {
	u, err := measured(filepath.Join(g.programs, "generator"), "verify", s.public)
	return figures{cpu: u.cpu.Seconds(), peak: u.peak}, err
}

// editAndBuild measures a build of one edit when older releases are there to be removed, as in a steady state.
func (g *growth) editAndBuild(s *site) (f figures, err error) {
	var all []usage
	for round := range g.runs + 2 {
		if _, err := s.edit(); err != nil {
			return f, err
		}
		u, err := g.generate(s.content, s.public)
		if err != nil {
			return f, err
		}
		if round > 1 {
			all = append(all, u)
		}
	}
	u := medianOf(all)
	return figures{cpu: u.cpu.Seconds(), peak: u.peak}, nil
}
