// This file prepares corpora for comparisons.

package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// longest is the longest string, in bytes, that every keyword field of an index keeps.
const longest = 8000

// longestWord is the longest string that random bodies take over. Elasticsearch takes minutes
// to look for a long one without regard to case.
const longestWord = 100

// shorten copies the items of a corpus into a file of a content directory, one a line,
// with strings cut to what Elasticsearch can keep whole.
func shorten(corpus, to string) error {
	return rewrite(corpus, to, func(line []byte) ([]byte, error) { return shortened(line, longest) })
}

// unpack copies the items of a corpus into a file of a content directory as they are.
func unpack(corpus, to string) error {
	return rewrite(corpus, to, func(line []byte) ([]byte, error) { return line, nil })
}

func rewrite(corpus, to string, change func(line []byte) ([]byte, error)) error {
	in, err := os.Open(corpus)
	if err != nil {
		return err
	}
	defer in.Close()
	var text io.Reader = in
	if strings.HasSuffix(corpus, ".gz") {
		if text, err = gzip.NewReader(in); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(out)
	lines := bufio.NewScanner(text)
	lines.Buffer(make([]byte, 1<<20), 64<<20)
	for lines.Scan() {
		line, err := change(lines.Bytes())
		if err != nil {
			return err
		}
		w.Write(line)
		w.WriteByte('\n')
	}
	if err := lines.Err(); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return out.Close()
}

func shortened(line []byte, n int) ([]byte, error) {
	var item any
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	if err := dec.Decode(&item); err != nil {
		return nil, err
	}
	return json.Marshal(cut(item, n))
}

// cut shortens the strings of a value to n bytes.
func cut(v any, n int) any {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			v[name] = cut(inner, n)
		}
	case []any:
		for i, inner := range v {
			v[i] = cut(inner, n)
		}
	case string:
		if len(v) <= n {
			return v
		}
		end := n
		for !utf8.RuneStart(v[end]) {
			end--
		}
		return v[:end]
	}
	return v
}

// copySample copies the sample environments.
func copySample(from, to string) error {
	for _, env := range []string{"site", "events"} {
		if err := os.CopyFS(filepath.Join(to, env), os.DirFS(filepath.Join(from, env))); err != nil {
			return err
		}
	}
	return nil
}
