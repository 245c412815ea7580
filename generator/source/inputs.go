// This file digests what environments are made of, without reading it.

package source

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
)

// Inputs returns a digest for each environment: of its settings, of the paths of its files, and of what the system says
// about each. Environments of the same digest have the same files with the same bytes. An environment with a young file
// has no digest. A process may compare digests of another process.
func (t *Tree) Inputs() map[string]string {
	sums, uncertain := make(map[string]hash.Hash, len(t.Envs)), map[string]bool{}
	for _, env := range t.Envs {
		sums[env] = sha256.New()
		if settings := t.Settings[env]; settings != nil {
			fmt.Fprintf(sums[env], "%q\n", settings.sum)
		}
	}
	for _, files := range [][]File{t.Files, t.Searches} {
		for i := range files {
			f := &files[i]
			sum := sums[f.Env]
			if sum == nil || f.identity.sum == 0 || f.identity.young {
				uncertain[f.Env] = true
				continue
			}
			fmt.Fprintf(sum, "%q %q %q\n", f.Path, f.Rule, f.target)
			_ = binary.Write(sum, binary.LittleEndian, f.identity.sum)
		}
		for _, sum := range sums {
			fmt.Fprintln(sum)
		}
	}
	all := make(map[string]string, len(sums))
	for env, sum := range sums {
		if !uncertain[env] {
			all[env] = hex.EncodeToString(sum.Sum(nil))
		}
	}
	return all
}

// Without removes the files of environments, which are known already.
func (t *Tree) Without(known func(env string) bool) {
	t.WithoutFiles(func(f *File) bool { return known(f.Env) })
}

// WithoutFiles removes files.
func (t *Tree) WithoutFiles(removes func(f *File) bool) {
	for _, files := range []*[]File{&t.Files, &t.Searches} {
		var rest []File
		for _, f := range *files {
			if !removes(&f) {
				rest = append(rest, f)
			}
		}
		*files = rest
	}
}
