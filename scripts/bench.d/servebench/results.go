// This file has the results and prints them.

package servebench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"

	"bench/chart"

	"contentedge/cmd/outfile"
)

// Results has all measurements.
type Results struct {
	Files   int // number of requested items
	Cases   []string
	Servers []*Server
}

// Server has the medians of one server.
type Server struct {
	Name, Title string
	Anon, File  int64 // resident memory after the last response, in KiB
	Cases       map[string]Case
}

// Case has the measurements of a server in one case.
type Case struct {
	CPU      int64 // per response, in nanoseconds
	Rate     int64 // responses per second
	P50, P99 int64 // in microseconds
	Bytes    int64 // mean size of a body as sent

	// Latency at a load that is equal for all servers. The p99 comes from the best
	// round, because other load on the machine only adds to it, in some rounds tenfold.
	PacedRate, PacedP50, PacedP99 int64

	cpus, rates, p50s, p99s          []int64
	pacedRates, pacedP50s, pacedP99s []int64
}

func newResults(files int, servers []*server) *Results {
	r := &Results{Files: files}
	for _, v := range servers {
		r.Servers = append(r.Servers, &Server{Name: v.name, Title: v.title, Cases: map[string]Case{}})
	}
	return r
}

// of returns a server's measurements.
func (r *Results) of(v *server) *Server {
	return r.Servers[slices.IndexFunc(r.Servers, func(e *Server) bool { return e.Name == v.name })]
}

// sent records the size of a case's bodies.
func (e *Server) sent(name string, bytes int64) {
	f := e.Cases[name]
	f.Bytes = bytes
	e.Cases[name] = f
}

func median(values []int64) int64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[len(values)/2]
}

func least(values []int64) int64 {
	if len(values) == 0 {
		return 0
	}
	return slices.Min(values)
}

// summarise takes the medians, and the lowest p99 at equal load.
func (r *Results) summarise() {
	for _, e := range r.Servers {
		for name, f := range e.Cases {
			f.CPU, f.Rate, f.P50, f.P99 = median(f.cpus), median(f.rates), median(f.p50s), median(f.p99s)
			f.PacedRate, f.PacedP50, f.PacedP99 = median(f.pacedRates), median(f.pacedP50s), least(f.pacedP99s)
			e.Cases[name] = f
		}
	}
}

// best returns the lowest figure of the named servers, or 0.
func (r *Results) best(name string, figure func(Case) int64, servers ...string) (least int64) {
	for _, e := range r.Servers {
		if n := figure(e.Cases[name]); slices.Contains(servers, e.Name) && n > 0 && (least == 0 || n < least) {
			least = n
		}
	}
	return least
}

// table prints all tables.
func (r *Results) table(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%d item files in random order; the better nginx counts.\n", r.Files)
	r.head(&b, "Processor time of a response, in microseconds (~: bodies of another size than ours):", ratioTitles...)
	for _, name := range r.Cases {
		r.row(&b, name, func(f Case) string { return r.differs(name, f) + chart.Number(float64(f.CPU)/1000) })
		r.ratios(&b, name, func(f Case) int64 { return f.CPU })
	}
	r.head(&b, "Answers a second:")
	for _, name := range r.Cases {
		r.row(&b, name, func(f Case) string { return chart.Thousands(int(f.Rate)) })
		b.WriteByte('\n')
	}
	r.head(&b, fmt.Sprintf("Latency at the same load, some %s requests a second, p50, and p99 of the best round, in microseconds (ratios: p99):", chart.Thousands(int(r.load()))), ratioTitles...)
	for _, name := range r.Cases {
		r.row(&b, name, func(f Case) string { return fmt.Sprintf("%d / %d", f.PacedP50, f.PacedP99) })
		r.ratios(&b, name, func(f Case) int64 { return f.PacedP99 })
	}
	r.head(&b, "Latency at as many responses a second as above, p50 / p99, in microseconds:")
	for _, name := range r.Cases {
		r.row(&b, name, func(f Case) string { return fmt.Sprintf("%d / %d", f.P50, f.P99) })
		b.WriteByte('\n')
	}
	r.head(&b, "Resident memory after the last response, in MiB:")
	for _, part := range []struct {
		name string
		kib  func(*Server) int64
	}{{"its own", func(e *Server) int64 { return e.Anon }}, {"pages of files", func(e *Server) int64 { return e.File }}} {
		fmt.Fprintf(&b, "| %s |", part.name)
		for _, e := range r.Servers {
			fmt.Fprintf(&b, " %.1f |", float64(part.kib(e))/1024)
		}
		b.WriteByte('\n')
	}
	_, err := w.Write(b.Bytes())
	return err
}

// load is the request rate at equal load.
func (r *Results) load() int64 {
	var all []int64
	for _, e := range r.Servers {
		for _, f := range e.Cases {
			all = append(all, f.PacedRate)
		}
	}
	return median(all) / 100 * 100
}

// ratioTitles are the columns of ratios.
var ratioTitles = []string{"ours : nginx", "ours : Caddy", "fast path off : nginx", "bare Fiber : nginx"}

// ratios prints the ratios of our server to the better nginx and to Caddy, and of our server
// without its fast path and of bare Fiber to the better nginx.
func (r *Results) ratios(b *bytes.Buffer, name string, figure func(Case) int64) {
	mine, nginx := r.best(name, figure, ours), r.best(name, figure, nginxOff, nginxOn, nginxClosed)
	if mine == 0 {
		mine = r.best(name, figure, unkept)
	}
	fmt.Fprintf(b, " %s | %s |", ratio(mine, nginx), ratio(mine, r.best(name, figure, caddy)))
	fmt.Fprintf(b, " %s | %s |\n", ratio(r.best(name, figure, unfast), nginx), ratio(r.best(name, figure, floor), nginx))
}

// differs marks responses of another length than ours, which is the first server of each case.
func (r *Results) differs(name string, f Case) string {
	for _, e := range r.Servers {
		if ours := e.Cases[name].Bytes; ours > 0 {
			if f.Bytes != ours {
				return "~"
			}
			break
		}
	}
	return ""
}

// head starts a table with a column per server.
func (r *Results) head(b *bytes.Buffer, title string, more ...string) {
	fmt.Fprintf(b, "\n%s\n\n| |", title)
	for _, e := range r.Servers {
		fmt.Fprintf(b, " %s |", e.Title)
	}
	for _, m := range more {
		fmt.Fprintf(b, " %s |", m)
	}
	b.WriteString("\n| --- |")
	for range len(r.Servers) + len(more) {
		b.WriteString(" ---: |")
	}
	b.WriteByte('\n')
}

// row prints a cell per measured server.
func (r *Results) row(b *bytes.Buffer, name string, cell func(Case) string) {
	fmt.Fprintf(b, "| %s |", name)
	for _, e := range r.Servers {
		text := "-"
		if f := e.Cases[name]; f.Rate > 0 {
			text = cell(f)
		}
		fmt.Fprintf(b, " %s |", text)
	}
}

func ratio(a, b int64) string {
	if a == 0 || b == 0 {
		return "-"
	}
	return strconv.FormatFloat(float64(a)/float64(b), 'f', 2, 64)
}

// colours are the colours of the servers in the chart.
var colours = map[string]string{ours: "#0f9d77", unkept: "#8fcbb8", unfast: "#4f8f7f", floor: "#a9b8b2", nginxOff: "#3b78c9", nginxClosed: "#1f4f8f", bare: "#c9e3da", nginxOn: "#8e6bb0", caddy: "#d9822b"}

// chart returns the SVG.
func (r *Results) chart() []byte {
	c := chart.Chart{Title: "Processor time of a response, in microseconds (logarithmic; less is better)"}
	for _, e := range r.Servers {
		c.Series = append(c.Series, chart.Series{Title: e.Title, Colour: colours[e.Name]})
	}
	for _, name := range r.Cases {
		row := chart.Row{Name: name}
		for _, e := range r.Servers {
			row.Values = append(row.Values, float64(e.Cases[name].CPU)/1000)
		}
		c.Rows = append(c.Rows, row)
	}
	return c.Draw()
}

// save writes the results as JSON.
func (r *Results) save(path string) error {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return outfile.Write(path, append(b, '\n'), os.Stdout)
}
