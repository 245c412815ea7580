// This file reads the ledger of tests that may be skipped.

package main

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
)

//go:embed skips.txt
var skipsText string

// ledger says which tests may be skipped. A nil one permits every skip.
type ledger []permit

// permit lets tests be skipped that match a pattern, for reasons that match another one.
type permit struct{ test, why *regexp.Regexp }

// readLedger reads lines of two patterns with two spaces between them. A line that begins with # is a comment.
func readLedger(text string) (l ledger, err error) {
	l = ledger{}
	for i, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		test, why, ok := strings.Cut(line, "  ")
		if !ok {
			return nil, fmt.Errorf("skips.txt:%d: two spaces separate the test from what it says", i+1)
		}
		var p permit
		for _, part := range []struct {
			to   **regexp.Regexp
			text string
		}{{&p.test, test}, {&p.why, why}} {
			if *part.to, err = regexp.Compile("^(?s:" + strings.TrimSpace(part.text) + ")$"); err != nil {
				return nil, fmt.Errorf("skips.txt:%d: %w", i+1, err)
			}
		}
		l = append(l, p)
	}
	return l, nil
}

// permits reports whether a test, named with its package, may be skipped for a reason.
func (l ledger) permits(test, why string) bool {
	for _, p := range l {
		if p.test.MatchString(test) && p.why.MatchString(why) {
			return true
		}
	}
	return l == nil
}
