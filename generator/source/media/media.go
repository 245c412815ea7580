// Package media finds the media files that content names: the images, sounds, films and documents next to the items. It
// reads each file once, in a stream: for its digest, which is part of its address, and for the size of an image, which
// is in the first bytes. It does not decode pixels.
//
// An item names a file by a URL that is relative to the file of the item, to the page of that file, or to the root of the
// site. The file is in the same environment, on a path without names that begin with "." or "_", and its extension is one of
// address.MediaExtensions. A link must lead to such a file.
package media

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"contentedge/edgeserve/wire/address"
	"contentedge/generator/source"
	"contentedge/generator/source/documents"
)

// File is a media file.
type File struct {
	Env  string
	Path string // below the content folder, with slashes
	Name string // as the user would type it

	Address       string // of the response, with a slash at its beginning: the rest is MediaFile
	Type          string // content type
	Size          int64
	SHA256        [32]byte
	Width, Height int  // in pixels; 0 where they are unknown
	Damaged       bool // the head of an image is damaged, so that it has no size

	dir string // the content folder
}

// Fault says why a URL leads to no media file. The content is to blame.
type Fault struct{ Message, Hint string }

// Error returns the message.
func (f *Fault) Error() string { return f.Message }

// Resolver finds media files below a content folder. It is for concurrent use, and is kept between Loads:
// it reads only files that changed since.
type Resolver struct {
	dir string

	mu    sync.Mutex // guards what follows
	files map[string]*entry
	load  int // counts Loads
}

// entry has the facts about a path.
type entry struct {
	mu    sync.Mutex      // held while the file is looked at and read
	load  int             // of the last look
	state source.Identity // zero if the file does not exist
	file  *File           // nil: see fault
	fault *Fault
}

// NewResolver returns a Resolver for a content folder.
func NewResolver(dir string) *Resolver {
	return &Resolver{dir: dir, files: map[string]*entry{}}
}

// Begin begins a Load: from now on the Resolver looks at each file again, once.
func (r *Resolver) Begin() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.load++
}

// Resolve finds the file that a URL names, in a text of the file at the path from: the first of its candidates that exists.
// It returns the URL of the file in a release: its address, with the URL's fragment. If the URL leads to no media file the
// error is a *Fault about the first candidate; any other is the system's, or the context's.
func (r *Resolver) Resolve(ctx context.Context, env, from, reference string) (f *File, target string, err error) {
	name, fragment := documents.SplitURL(reference)
	if fault := check(name); fault != nil {
		return nil, "", fault
	}
	var first *Fault
	paths := candidates(env, from, name)
	for _, at := range paths {
		f, fault, err := r.look(ctx, env, at)
		switch {
		case err != nil:
			return nil, "", err
		case fault == nil:
			return f, f.Address + fragment, nil
		case !slices.Contains(absent, fault) && first != nil:
			return nil, "", &Fault{source.Show(at) + ": " + fault.Message, fault.Hint}
		case !slices.Contains(absent, fault):
			return nil, "", fault
		}
		first = cmp.Or(first, fault)
	}
	return nil, "", first.elsewhere(paths[1:])
}

// look returns the file at a path, or why it cannot be used.
func (r *Resolver) look(ctx context.Context, env, at string) (*File, *Fault, error) {
	if fault := checkPath(env, at); fault != nil {
		return nil, fault, nil
	}
	e := r.entry(at)
	e.mu.Lock()
	defer e.mu.Unlock()
	err := r.refresh(ctx, e, env, at)
	return e.file, e.fault, err
}

// Answer answers Questions of documents.MediaQuestion, for source.Tree.
func (r *Resolver) Answer(ctx context.Context, q documents.Question) (string, error) {
	_, target, err := r.Resolve(ctx, q.Env, q.Env+"/"+q.Path, q.Key)
	var fault *Fault
	if errors.As(err, &fault) {
		return " " + fault.Message, nil
	}
	return target, err
}

func (r *Resolver) entry(at string) *entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.files[at]
	if e == nil {
		e = &entry{load: -1}
		r.files[at] = e
	}
	return e
}

// Forget drops what the Resolver knows of files that no Load has looked at since the last Begin.
func (r *Resolver) Forget() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for at, e := range r.files {
		if e.load != r.load {
			delete(r.files, at)
		}
	}
}

var (
	outside     = &Fault{"this file lies outside of its environment", "copy it into the folder of the environment"}
	hidden      = &Fault{`a name on the path of this file begins with "." or "_": such files are never delivered`, "move or rename it"}
	unknownType = &Fault{"files of this kind are not media", "media are files with the extensions " + strings.Join(address.MediaExtensions(), ", ")}
)

// absent are the faults of paths without a file that could be delivered: other candidates are tried.
var absent = []*Fault{missing, outside, hidden}

// shown is a path as the user would type it.
func (r *Resolver) shown(at string) string { return filepath.Join(r.dir, filepath.FromSlash(at)) }
