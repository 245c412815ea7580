// Package chart draws results as SVG: groups of bars on a logarithmic scale.
package chart

import (
	"bytes"
	"fmt"
	"html"
	"math"
	"strconv"
)

// Sizes in pixels.
const (
	width       = 900
	left        = 250 // width of the row names
	right       = 60  // room for the numbers after the bars
	top         = 74
	barHeight   = 9
	rowGap      = 9
	legendWidth = 130 // of a name of up to legendRoom characters
	legendRoom  = 13
	perLetter   = 7
)

// Series has one bar per row, in its colour.
type Series struct{ Title, Colour string }

// Row is a group of bars. Values are in the order of the series; 0 was not measured.
type Row struct {
	Name   string
	Values []float64
}

// Chart is the data to draw.
type Chart struct {
	Title  string
	Series []Series
	Rows   []Row
}

// Draw returns the SVG.
func (c Chart) Draw() []byte {
	low, high := c.decades()
	rowHeight := len(c.Series)*barHeight + rowGap
	height := top + len(c.Rows)*rowHeight + 28
	x := func(v float64) float64 {
		share := (math.Log10(v) - low) / (high - low)
		return left + max(0, share)*(width-left-right)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="system-ui,sans-serif" font-size="12">`+"\n", width, height, width, height)
	b.WriteString(`<style>.t{fill:#24292f}.s{fill:#57606a}.g{stroke:#d0d7de}.p{fill:#fff}` +
		`@media (prefers-color-scheme:dark){.t{fill:#e6edf3}.s{fill:#9aa4af}.g{stroke:#30363d}.p{fill:#0d1117}}</style>` + "\n")
	fmt.Fprintf(&b, `<rect class="p" width="%d" height="%d" rx="6"/>`+"\n", width, height)
	fmt.Fprintf(&b, `<text class="t" x="16" y="26" font-size="15" font-weight="600">%s</text>`+"\n", html.EscapeString(c.Title))
	c.legend(&b)
	grid(&b, low, high, height, x)
	for i, r := range c.Rows {
		c.row(&b, r, top+i*rowHeight, x)
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// decades returns the powers of ten that hold all values.
func (c Chart) decades() (low, high float64) {
	low, high = 0, 1
	for _, r := range c.Rows {
		for _, v := range r.Values {
			if v > 0 {
				low, high = min(low, math.Floor(math.Log10(v))), max(high, math.Ceil(math.Log10(v)))
			}
		}
	}
	return low, high
}

func (c Chart) legend(b *bytes.Buffer) {
	x := left
	for _, s := range c.Series {
		fmt.Fprintf(b, `<rect x="%d" y="40" width="12" height="12" rx="2" fill="%s"/><text class="t" x="%d" y="50">%s</text>`+"\n", x, s.Colour, x+18, html.EscapeString(s.Title))
		x += legendWidth + perLetter*max(0, len(s.Title)-legendRoom)
	}
}

// grid draws a line for each power of ten.
func grid(b *bytes.Buffer, low, high float64, height int, x func(float64) float64) {
	for p := low; p <= high; p++ {
		v := math.Pow(10, p)
		fmt.Fprintf(b, `<line class="g" x1="%.1f" x2="%.1f" y1="%d" y2="%d"/>`, x(v), x(v), top-10, height-24)
		fmt.Fprintf(b, `<text class="s" x="%.1f" y="%d" text-anchor="middle">%g</text>`+"\n", x(v), height-8, v)
	}
}

// row draws a group of bars.
func (c Chart) row(b *bytes.Buffer, r Row, above int, x func(float64) float64) {
	middle := above + len(c.Series)*barHeight/2 + 4
	fmt.Fprintf(b, `<text class="t" x="%d" y="%d" text-anchor="end">%s</text>`+"\n", left-10, middle, html.EscapeString(r.Name))
	for i, v := range r.Values {
		if v <= 0 {
			continue
		}
		y, end := above+i*barHeight, x(v)
		fmt.Fprintf(b, `<rect x="%d" y="%d" width="%.1f" height="%d" fill="%s"/>`, left, y, max(1, end-left), barHeight-1, c.Series[i].Colour)
		fmt.Fprintf(b, `<text class="s" x="%.1f" y="%d" font-size="9">%s</text>`+"\n", end+4, y+barHeight-1, Number(v))
	}
}

// Number writes a value with about three digits.
func Number(v float64) string {
	digits := 0
	switch {
	case v < 10:
		digits = 2
	case v < 100:
		digits = 1
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
}

// Thousands writes a number with separators.
func Thousands(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%s,%03d", Thousands(n/1000), n%1000)
}
