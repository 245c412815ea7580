// These tests evaluate synthetic reports.

package searchbench

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

// measured is two engines that answered one family of two queries.
func measured(t *testing.T) *Results {
	t.Helper()
	r := &Results{Items: 12345, Bytes: 1000, Families: []string{"a < b"}, Common: 1}
	for _, name := range []string{"ours", "scan"} {
		e := &Engine{Name: name, Title: name, Families: map[string]Family{}}
		for _, cpu := range []string{"3000", "9000", "1000"} {
			if err := e.read([]byte("open\t1\t2\nfamily\ta < b\t2\t" + cpu + "\t5\t6\t70\t80\nmemory\t1\t1\n")); err != nil {
				t.Fatal(err)
			}
		}
		e.summarise()
		r.Engines = append(r.Engines, e)
	}
	return r
}

func TestMediansOfRounds(t *testing.T) {
	f := measured(t).Engines[0].Families["a < b"]
	if f.Queries != 2 || f.CPU != 3000 || f.P50 != 5 || f.P99 != 6 {
		t.Errorf("got %+v", f)
	}
}

func read(t *testing.T, e *Engine, report string) {
	t.Helper()
	if err := e.read([]byte(report)); err != nil {
		t.Fatal(err)
	}
}

func TestTableSaysWhatIsRefused(t *testing.T) {
	r := measured(t)
	r.Families = append(r.Families, "c")
	read(t, r.Engines[0], "refused\tc\tunknown query \"c\"\n")
	var out bytes.Buffer
	if err := r.table(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| `c` | refused | - |", "ours refuses `c`: unknown query \"c\""} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

func TestReadRefuses(t *testing.T) {
	for _, line := range []string{"family\tx\t2\t1", "open\tsoon\t1", "what\t1", "build\t1\t2\t3"} {
		if err := new(Engine).read([]byte(line)); err == nil {
			t.Errorf("%q was taken", line)
		}
	}
}

func TestJudge(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Results)
		fails  bool
	}{
		{"same totals", func(*Results) {}, false},
		{"another total", func(r *Results) { r.Engines[0].Families["a < b"].totals[1]++ }, true},
		{"nothing measured", func(r *Results) { delete(r.Engines[1].Families, "a < b") }, true},
		{"a construct that only we have", func(r *Results) {
			r.Families = append(r.Families, "c")
			r.Engines[0].Families["c"] = Family{Queries: 1}
		}, false},
		{"one that we refuse", func(r *Results) {
			r.Families = append(r.Families, "c")
			read(t, r.Engines[0], "refused\tc\tunknown query\n")
		}, false},
		{"one that we neither answer nor refuse", func(r *Results) { r.Families = append(r.Families, "c") }, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := measured(t)
			tt.change(r)
			r.compare()
			if err := r.judge(); (err != nil) != tt.fails {
				t.Errorf("the verdict is %v", err)
			}
		})
	}
}

func TestChartIsXML(t *testing.T) {
	chart := measured(t).chart()
	for d := xml.NewDecoder(bytes.NewReader(chart)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"a &lt; b", "12,345", ">3.00<"} {
		if !strings.Contains(string(chart), want) {
			t.Errorf("the chart lacks %q", want)
		}
	}
}
