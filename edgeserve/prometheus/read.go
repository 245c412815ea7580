// This file reads back what Text wrote, for code that shows the figures of the metrics in another form.

package prometheus

import (
	"bytes"
	"strconv"
	"strings"
)

// Sample is one value of a text.
type Sample struct {
	Name   string
	Labels []string // names and values in turn
	Value  float64
}

// Label returns the value of a label; empty if the sample has no such label.
func (s *Sample) Label(name string) string {
	for i := 0; i+1 < len(s.Labels); i += 2 {
		if s.Labels[i] == name {
			return s.Labels[i+1]
		}
	}
	return ""
}

// Samples are the values of a text, in its order.
type Samples []Sample

// Read returns the samples of a text that Text wrote.
func Read(text []byte) (all Samples) {
	for line := range bytes.Lines(text) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		end := bytes.LastIndexByte(line, ' ')
		if end < 0 || line[0] == '#' {
			continue
		}
		v, err := strconv.ParseFloat(string(line[end+1:]), 64)
		if err != nil {
			continue
		}
		name, labels, _ := strings.Cut(string(line[:end]), "{")
		all = append(all, Sample{Name: name, Labels: readLabels(labels), Value: v})
	}
	return all
}

// readLabels reads name="value" pairs that end in a brace. In a value, a backslash escapes the next byte.
func readLabels(text string) (labels []string) {
	for {
		name, rest, ok := strings.Cut(strings.TrimLeft(text, ","), `="`)
		if !ok {
			return labels
		}
		var value []byte
		i := 0
		for ; i < len(rest) && rest[i] != '"'; i++ {
			c := rest[i]
			if c == '\\' && i+1 < len(rest) {
				i++
				if c = rest[i]; c == 'n' {
					c = '\n'
				}
			}
			value = append(value, c)
		}
		labels = append(labels, name, string(value))
		text = rest[min(i+1, len(rest)):]
	}
}

// Named returns the samples of a name.
func (s Samples) Named(name string) (named Samples) {
	for i := range s {
		if s[i].Name == name {
			named = append(named, s[i])
		}
	}
	return named
}
