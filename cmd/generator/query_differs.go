// This file replays a log of searches, and says what differs from Elasticsearch in their responses.

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"contentedge/edgeserve/engine/differences"
	"contentedge/edgeserve/wire/address"
)

// differsReport is what a log of searches meets, in the order of the page of differences.
type differsReport struct {
	Searches    int            `json:"searches"`
	Differences []differsRow   `json:"differences"`
	Refused     []refusedGroup `json:"refused"` // searches that have no response, and do not meet a row of what is not there
}

// differsRow is a row of the page, and how many searches meet it.
type differsRow struct {
	Difference string `json:"difference"`
	Here       string `json:"here"`
	Right      bool   `json:"right,omitempty"` // Elasticsearch is wrong
	Searches   int    `json:"searches"`
	Line       int    `json:"line"` // the first one
}

// refusedGroup is a kind of refusals, with the first message.
type refusedGroup struct {
	Code     string `json:"code"`
	Message  string `json:"message"`
	Searches int    `json:"searches"`
	Line     int    `json:"line"`
}

// runDiffers reads a log of search bodies, one on a line, and prints which differences they meet in an environment.
func runDiffers(ctx context.Context, dir, env, log string, o output, c console) error {
	r, err := openRelease(dir)
	if err != nil {
		return err
	}
	defer r.Close()
	if err := r.check(env); err != nil {
		return err
	}
	in := io.ReadCloser(os.Stdin)
	if log != "-" {
		if in, err = os.Open(log); err != nil {
			return err
		}
		defer in.Close()
	}
	found, err := r.differs(ctx, env, log, in)
	return show(c, o, found, err, differsReport.String)
}

// differs replays a log.
func (r *openedRelease) differs(ctx context.Context, env, name string, log io.Reader) (found differsReport, err error) {
	rows := differences.Rows()
	met := make([]differsRow, len(rows))
	finder := differences.NewFinder(r.Readers[env])
	found = differsReport{Differences: []differsRow{}, Refused: []refusedGroup{}}
	lines := bufio.NewScanner(log)
	lines.Buffer(nil, maxSearchText+1)
	line := 0
	for lines.Scan() {
		line++
		raw := bytes.TrimSpace(lines.Bytes())
		if line == 1 {
			raw = withoutMark(raw)
		}
		if len(raw) == 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return found, err
		}
		found.Searches++
		for _, i := range r.meets(finder, env, raw, line, &found) {
			if met[i].Searches++; met[i].Searches == 1 {
				met[i].Difference, met[i].Here, met[i].Right, met[i].Line = rows[i].What, rows[i].Here, rows[i].Right, line
			}
		}
	}
	for _, row := range met {
		if row.Searches > 0 {
			found.Differences = append(found.Differences, row)
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return found, wrongUsage(fmt.Sprintf("%s: line %d is longer than the %d bytes of a search body", name, line+1, maxSearchText), "leave it out of the log")
	}
	return found, lines.Err()
}

// meets returns the rows that a search meets, and counts its refusal if no row says it.
func (r *openedRelease) meets(finder *differences.Finder, env string, raw []byte, line int, found *differsReport) []int {
	met := finder.Meet(raw)
	if met.Refused != nil && met.Refused.Absent != "" {
		return met.Rows
	}
	code, message := "", ""
	switch _, p, cause := r.content.Respond(address.ElasticSearch.Path(env), bytes.Clone(raw)); {
	case cause != nil:
		code, message = "failed", cause.Error()
	case p != nil:
		code, message = p.Code, p.Message
	default:
		return met.Rows
	}
	i := slices.IndexFunc(found.Refused, func(g refusedGroup) bool { return g.Code == code })
	if i < 0 {
		i = len(found.Refused)
		found.Refused = append(found.Refused, refusedGroup{Code: code, Message: message, Line: line})
	}
	found.Refused[i].Searches++
	return met.Rows
}

// String prints the report for people.
func (d differsReport) String() string {
	text := fmt.Sprintf("searches: %d, differences from Elasticsearch that they meet: %d\n", d.Searches, len(d.Differences))
	if len(d.Differences) > 0 {
		t := newTable("searches", "first line", "difference")
		for _, row := range d.Differences {
			t.row(row.Searches, row.Line, row.Difference)
		}
		text += "\n" + t.String()
	}
	if len(d.Refused) > 0 {
		t := newTable("searches", "first line", "refused here")
		for _, g := range d.Refused {
			t.row(g.Searches, g.Line, g.Code+": "+fmt.Sprintf("%.200s", g.Message))
		}
		text += "\n" + t.String()
	}
	return text
}
