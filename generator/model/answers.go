// This file keeps what readers ask about facts outside of their file, so that a cached file is read
// again when a fact changes.

package model

import (
	"context"

	"contentedge/generator/source"
	"contentedge/generator/source/documents"
)

// fact is a Question that a file asked, with its answer.
type fact struct {
	question documents.Question
	answer   string
}

// outside reports whether the fact is about something other than the files of the environment, and the time.
func (f fact) outside() bool { return f.question.Kind != documents.LinkQuestion }

// answers are asked for one part of a file after the other. They belong to one goroutine.
type answers struct {
	ctx   context.Context
	tree  *source.Tree
	known map[documents.Question]string // for the current part
	err   error                         // of the system or the context: answers after it mean nothing
}

func newAnswers(ctx context.Context, tree *source.Tree) *answers {
	return &answers{ctx: ctx, tree: tree, known: map[documents.Question]string{}}
}

// ask is the Input.Ask of a reader.
func (a *answers) ask(q documents.Question) string {
	if answer, ok := a.known[q]; ok || a.err != nil {
		return answer
	}
	answer, err := a.tree.Answer(a.ctx, q)
	if err != nil {
		a.err = err
		return ""
	}
	a.known[q] = answer
	return answer
}

// take returns the facts since the last call.
func (a *answers) take() (facts []fact) {
	for q, answer := range a.known {
		facts = append(facts, fact{q, answer})
	}
	clear(a.known)
	return facts
}

// current reports whether all facts have the same answers now.
func (l *loader) current(facts []fact) (bool, error) {
	for _, known := range facts {
		if answer, err := l.tree.Answer(l.ctx, known.question); err != nil || answer != known.answer {
			return false, err
		}
	}
	return true, nil
}
