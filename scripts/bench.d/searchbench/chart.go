// This file draws the chart: CPU time of a query by family and engine.

package searchbench

import (
	"fmt"

	"bench/chart"
)

// drawn are the engines in the chart. Their colours are distinct on light and dark
// backgrounds, and for colour-blind readers.
var drawn = []struct{ name, colour string }{
	{"ours", "#0f9d77"}, {"lucene", "#3b78c9"}, {"bleve", "#d9822b"}, {"sqlite", "#8e6bb0"},
}

// chart returns the SVG.
func (r *Results) chart() []byte {
	c := chart.Chart{Title: fmt.Sprintf("Processor time of a search, %s items, in microseconds (logarithmic; less is better)", chart.Thousands(r.Items))}
	var engines []*Engine
	for _, d := range drawn {
		if e := r.engine(d.name); e != nil {
			engines = append(engines, e)
			c.Series = append(c.Series, chart.Series{Title: e.Title, Colour: d.colour})
		}
	}
	for _, family := range r.Families[:r.Common] {
		row := chart.Row{Name: family}
		for _, e := range engines {
			row.Values = append(row.Values, float64(e.Families[family].CPU)/1000)
		}
		c.Rows = append(c.Rows, row)
	}
	return c.Draw()
}
