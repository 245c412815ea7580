// This file answers the questions of readers about files and dates other than the text that they read.

package source

import (
	"context"

	"contentedge/generator/source/documents"
)

// Answerer answers the Questions of a kind. Its error is the system's or the context's. It is called
// from several goroutines.
type Answerer func(ctx context.Context, q documents.Question) (string, error)

// SetAnswerer says who answers the Questions of a kind, before files are read.
func (t *Tree) SetAnswerer(kind string, a Answerer) {
	if t.answers == nil {
		t.answers = map[string]Answerer{}
	}
	t.answers[kind] = a
}

// Answer answers a Question. It returns "" if its kind has no answerer. All answers of a Tree belong to one moment.
func (t *Tree) Answer(ctx context.Context, q documents.Question) (string, error) {
	answer, ok := t.answers[q.Kind]
	if !ok {
		return "", nil
	}
	return answer(ctx, q)
}

// Input returns what a Reader reads of the file: a text with facts about the file.
func (f *File) Input(text []byte, ask func(documents.Question) string) documents.Input {
	return documents.Input{Text: text, Env: f.Env, Path: f.below(), Modified: f.modified, Ask: ask}
}

// below returns the path below the environment.
func (f *File) below() string { return f.Path[min(len(f.Env)+1, len(f.Path)):] }
