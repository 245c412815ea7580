// These tests check the documented exit statuses.

package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"contentedge/edgeserve/wire/problem"
	"contentedge/generator"
)

func TestFinish(t *testing.T) {
	interrupted := func(s syscall.Signal) context.Context {
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(&signalError{s})
		return ctx
	}
	failed := errors.New("write x: no space left on device")
	content := &generator.ContentError{Diagnostics: []generator.Diagnostic{{File: "content/demo/a.json", Line: 3, Col: 7, Message: "bad", Hint: "do better"}}}
	tests := []struct {
		name string
		ctx  context.Context
		err  error
		want int
		text string
	}{
		{"done", t.Context(), nil, 0, ""},
		{"done before the signal", interrupted(syscall.SIGINT), nil, 0, ""},
		{"the machine", t.Context(), fmt.Errorf("building: %w", failed), 1, "generator: building: write x: no space left on device\n"},
		{"damage", t.Context(), damage(errDamaged, []string{"a: gone"}), 1, "a: gone\nthe release is damaged, problems: 1\n"},
		{"content", t.Context(), content, 2, "content/demo/a.json:3:7: bad\n  hint: do better\ngenerator: refused: the content is wrong\n"},
		{"removal", t.Context(), fmt.Errorf("%w", &generator.RemovalError{Changes: []generator.RemovalChange{{ID: "a", Before: 2, Removed: 2}}}), 2,
			"REFUSED: this removes content of the current release; nothing was changed\n  a: 2 items now, none in the new release\n" +
				"  hint: look at the content, or pass --allow-removal if this is meant; --max-removed PERCENT sets the bound\n" +
				"generator: refused: too much would be removed\n"},
		{"search", t.Context(), &bodyError{name: "--q", text: "a", inQuery: true, problem: &problem.Problem{Message: "bad", Position: -1}}, 2, "--q: bad\ngenerator: refused: the search is wrong\n"},
		{"test", t.Context(), fmt.Errorf("%w, failed tests: 1 of 2", errUnexpected), 2, "the release does not answer as expected, failed tests: 1 of 2\ngenerator: refused: the release does not answer as expected\n"},
		{"usage", t.Context(), wrongUsage("no such flag", "look again"), 3, "generator: no such flag\n  hint: look again\n"},
		{"options", t.Context(), &generator.UsageError{Option: "--env", Message: "bad", Hint: "good"}, 3, "generator: --env: bad\n  hint: good\n"},
		{"budget", t.Context(), &generator.BudgetError{Files: 2, BudgetFiles: 1}, 3, "generator: REFUSED: 2 list files (budget 1), 0 B (budget 0 B). Drop a filter, an order or a page size, or raise --budget-files / --budget-bytes.\n"},
		{"limit", t.Context(), fmt.Errorf("plan: %w", &generator.LimitError{Message: "too many"}), 3, "generator: plan: REFUSED: too many\n"},
		{"interrupt", interrupted(syscall.SIGINT), context.Canceled, 130, "generator: interrupt\n"},
		{"terminate", interrupted(syscall.SIGTERM), failed, 143, "generator: terminated\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var w strings.Builder
			if got := finish(tt.ctx, tt.err, &w); got != tt.want || w.String() != tt.text {
				t.Errorf("got %d, %q; want %d, %q", got, w.String(), tt.want, tt.text)
			}
		})
	}
}

func TestDamageListsTheFirstProblems(t *testing.T) {
	text := damage(errDamaged, make([]string, 25)).Error()
	if got := strings.Count(text, "\n"); got != maxProblems+1 || !strings.Contains(text, "and 5 more") {
		t.Errorf("%d lines: %q", got, text)
	}
}
