// This file draws the chart: processor time of a query by family and engine, on a
// logarithmic scale, as SVG by hand.

package searchbench

import (
	"bytes"
	"fmt"
	"html"
	"math"
)

// The measures of the chart, in pixels.
const (
	chartWidth = 900
	chartLeft  = 250 // width of the families' names
	chartRight = 60  // room for the numbers behind the bars
	chartTop   = 74
	barHeight  = 9
	rowGap     = 9
)

// drawn are the engines of the chart with their colours, which tell apart on light and
// dark ground, and to the colour-blind.
var drawn = []struct{ name, colour string }{
	{"ours", "#0f9d77"}, {"lucene", "#3b78c9"}, {"bleve", "#d9822b"}, {"sqlite", "#8e6bb0"},
}

// bar is an engine of the chart that was measured.
type bar struct {
	engine *Engine
	colour string
}

func (r *Results) bars() []bar {
	var out []bar
	for _, d := range drawn {
		if e := r.engine(d.name); e != nil {
			out = append(out, bar{e, d.colour})
		}
	}
	return out
}

// chart returns the SVG.
func (r *Results) chart() []byte {
	bars := r.bars()
	low, high := r.decades(bars)
	rowHeight := len(bars)*barHeight + rowGap
	height := chartTop + len(r.Families)*rowHeight + 28
	x := func(us float64) float64 {
		share := (math.Log10(us) - low) / (high - low)
		return chartLeft + max(0, share)*(chartWidth-chartLeft-chartRight)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="system-ui,sans-serif" font-size="12">`+"\n", chartWidth, height, chartWidth, height)
	b.WriteString(`<style>.t{fill:#24292f}.s{fill:#57606a}.g{stroke:#d0d7de}.p{fill:#fff}` +
		`@media (prefers-color-scheme:dark){.t{fill:#e6edf3}.s{fill:#9aa4af}.g{stroke:#30363d}.p{fill:#0d1117}}</style>` + "\n")
	fmt.Fprintf(&b, `<rect class="p" width="%d" height="%d" rx="6"/>`+"\n", chartWidth, height)
	fmt.Fprintf(&b, `<text class="t" x="16" y="26" font-size="15" font-weight="600">Processor time of a search, %s items, in microseconds (logarithmic; less is better)</text>`+"\n", thousands(r.Items))
	legend(&b, bars)
	grid(&b, low, high, height, x)
	for i, family := range r.Families {
		row(&b, family, chartTop+i*rowHeight, bars, x)
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// decades returns the powers of ten that hold all times.
func (r *Results) decades(bars []bar) (low, high float64) {
	low, high = 0, 1
	for _, e := range bars {
		for _, f := range e.engine.Families {
			if us := float64(f.CPU) / 1000; us > 0 {
				low, high = min(low, math.Floor(math.Log10(us))), max(high, math.Ceil(math.Log10(us)))
			}
		}
	}
	return low, high
}

func legend(b *bytes.Buffer, bars []bar) {
	for i, e := range bars {
		x := chartLeft + i*130
		fmt.Fprintf(b, `<rect x="%d" y="40" width="12" height="12" rx="2" fill="%s"/><text class="t" x="%d" y="50">%s</text>`+"\n", x, e.colour, x+18, html.EscapeString(e.engine.Title))
	}
}

// grid draws a line for each power of ten.
func grid(b *bytes.Buffer, low, high float64, height int, x func(float64) float64) {
	for p := low; p <= high; p++ {
		us := math.Pow(10, p)
		fmt.Fprintf(b, `<line class="g" x1="%.1f" x2="%.1f" y1="%d" y2="%d"/>`, x(us), x(us), chartTop-10, height-24)
		fmt.Fprintf(b, `<text class="s" x="%.1f" y="%d" text-anchor="middle">%g</text>`+"\n", x(us), height-8, us)
	}
}

// row draws a family.
func row(b *bytes.Buffer, family string, top int, bars []bar, x func(float64) float64) {
	middle := top + len(bars)*barHeight/2 + 4
	fmt.Fprintf(b, `<text class="t" x="%d" y="%d" text-anchor="end">%s</text>`+"\n", chartLeft-10, middle, html.EscapeString(family))
	for i, e := range bars {
		f, ok := e.engine.Families[family]
		if !ok {
			continue
		}
		y, end := top+i*barHeight, x(float64(f.CPU)/1000)
		fmt.Fprintf(b, `<rect x="%d" y="%d" width="%.1f" height="%d" fill="%s"/>`, chartLeft, y, max(1, end-chartLeft), barHeight-1, e.colour)
		fmt.Fprintf(b, `<text class="s" x="%.1f" y="%d" font-size="9">%s</text>`+"\n", end+4, y+barHeight-1, micros(f.CPU))
	}
}

// thousands writes a number with separators.
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}
