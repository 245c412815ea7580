// This file shows progress on a terminal, and nothing elsewhere.

package main

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"

	"contentedge/edgeserve/terminal"
	"contentedge/generator"
	"contentedge/generator/ship"
)

// redraw is the pause between updates.
const redraw = 100 * time.Millisecond

// bar is a progress line; without a terminal it draws nothing.
type bar struct {
	w     io.Writer // nil: no terminal
	line  *progressbar.ProgressBar
	stage generator.Stage
}

func newBar(w io.Writer, quiet bool) *bar {
	if quiet || !isTerminal(w) {
		return &bar{}
	}
	return &bar{w: terminal.Raw(w)}
}

func (b *bar) show(p generator.Progress) {
	total := int64(-1)
	if p.Stage == generator.Writing {
		total = max(1, p.TotalBytes)
	}
	b.draw(p.Stage, p.Bytes, total, describeProgress(p))
}

func (b *bar) showSent(p ship.Progress) {
	b.draw(generator.Writing, p.Bytes, max(1, p.TotalBytes), fmt.Sprintf("%d/%d files", p.Files, p.TotalFiles))
}

// draw draws a stage's line: a bar, or a spinner if total is -1. It starts no goroutine.
func (b *bar) draw(stage generator.Stage, done, total int64, text string) {
	if b.w == nil {
		return
	}
	if b.line == nil || b.stage != stage {
		b.clear()
		options := []progressbar.Option{progressbar.OptionSetWriter(b.w), progressbar.OptionThrottle(redraw),
			progressbar.OptionFullWidth(), progressbar.OptionSetSpinnerChangeInterval(0)}
		if total < 0 {
			options = append(options, progressbar.OptionSetPredictTime(false))
		} else {
			options = append(options, progressbar.OptionShowBytes(true), progressbar.OptionShowCount(), progressbar.OptionUseIECUnits(true))
		}
		b.stage, b.line = stage, progressbar.NewOptions64(total, options...)
	}
	b.line.Describe(text)
	_ = b.line.Set64(done) // do not stop because a terminal was closed
}

func describeProgress(p generator.Progress) string {
	switch p.Stage {
	case generator.Writing:
		return fmt.Sprintf("%d/%d items, %d/%d pages", p.Items, p.TotalItems, p.Pages, p.TotalPages)
	case generator.Reading:
		return fmt.Sprintf("%s: %d items", p.Stage, p.Read)
	default:
		return string(p.Stage)
	}
}

func (b *bar) clear() {
	if b.line != nil {
		_ = b.line.Clear()
		b.line = nil
	}
}
