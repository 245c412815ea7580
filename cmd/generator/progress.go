// This file shows a build's progress on a terminal. Without a terminal a build prints
// only its summary.

package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"

	"contentedge/generator"
	"contentedge/generator/publish"
)

// redraw is the pause between updates.
const redraw = 100 * time.Millisecond

// bar is a progress line; without a terminal it draws nothing.
type bar struct {
	w     io.Writer // nil: no terminal
	line  *progressbar.ProgressBar
	stage generator.Stage
}

// newBar returns a bar on w if w is a terminal and quiet is false.
func newBar(w io.Writer, quiet bool) *bar {
	f, ok := w.(*os.File)
	if !ok || quiet {
		return &bar{}
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return &bar{}
	}
	return &bar{w: w}
}

// show draws a build's progress.
func (b *bar) show(p generator.Progress) {
	if b.w == nil {
		return
	}
	if b.stage != p.Stage {
		b.clear()
		b.stage = p.Stage
		b.line = b.begin(p)
	}
	b.line.Describe(describeProgress(p))
	_ = b.line.Set64(p.Bytes) // a closed terminal is no reason to stop
}

// showSent draws the progress of an upload.
func (b *bar) showSent(p publish.Progress) {
	if b.w == nil {
		return
	}
	if b.line == nil {
		b.line = b.begin(generator.Progress{Stage: generator.Writing, TotalBytes: p.TotalBytes})
	}
	b.line.Describe(fmt.Sprintf("%d/%d files", p.Files, p.TotalFiles))
	_ = b.line.Set64(p.Bytes)
}

// begin starts a stage's line: a bar if the total is known, otherwise a spinner. It
// starts no goroutine.
func (b *bar) begin(p generator.Progress) *progressbar.ProgressBar {
	options := []progressbar.Option{progressbar.OptionSetWriter(b.w), progressbar.OptionThrottle(redraw),
		progressbar.OptionFullWidth(), progressbar.OptionSetSpinnerChangeInterval(0)}
	if p.Stage != generator.Writing {
		return progressbar.NewOptions64(-1, append(options, progressbar.OptionSetPredictTime(false))...)
	}
	return progressbar.NewOptions64(max(1, p.TotalBytes), append(options, progressbar.OptionShowBytes(true),
		progressbar.OptionShowCount(), progressbar.OptionUseIECUnits(true))...)
}

// describeProgress is the text beside the bar.
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

// clear removes the line before other output.
func (b *bar) clear() {
	if b.line != nil {
		_ = b.line.Clear()
		b.line = nil
	}
}
