// This file is the test command.

package main

import (
	"context"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"contentedge/cmd/outfile"
	"contentedge/edgeserve/wire/address"
	"contentedge/generator"
	"contentedge/generator/expect"
)

const testUsage = `Usage: generator test RELEASE FILE... [flags]

Answers the searches of files of expectations from a release, without a server, and compares
the responses with what the files expect. RELEASE is a directory with releases, or one
release. If a response differs, the exit code is 2.

  --against OTHER        another release: totals may not fall by more than maxFall
  --junit FILE           write the results as JUnit XML, for CI; - prints them instead of
                         the summary
  --json                 print one JSON object
`

// maxExpectations bounds a file of expectations, in bytes.
const maxExpectations = 64 << 20

var errUnexpected = errors.New("the release does not answer as expected")

func runTest(ctx context.Context, args []string, c console) error {
	set := flag.NewFlagSet("test", flag.ContinueOnError)
	against := set.String("against", "", "")
	junit := set.String("junit", "", "")
	asJSON := set.Bool("json", false, "")
	rest, err := parse(set, testUsage, args, math.MaxInt, c.out)
	if err != nil {
		return err
	}
	if *junit == outfile.StandardOutput && *asJSON {
		return wrongUsage("--json and --junit - both print their results", "omit one, or name a file")
	}
	if len(rest) < 2 {
		return wrongUsage("name a release and a file of expectations", "run generator test --help")
	}
	files, err := readExpectations(rest[1:])
	if err != nil {
		return err
	}
	t := tester{}
	if t.release, err = openRelease(rest[0]); err != nil {
		return err
	}
	defer t.release.Close()
	if *against != "" {
		if t.other, err = openRelease(*against); err != nil {
			return err
		}
		defer t.other.Close()
	}
	results := &testResults{Build: t.release.Build(), Tests: []testResult{}}
	for _, f := range files {
		for i := range f.Tests {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			r, err := t.run(f, &f.Tests[i])
			if err != nil {
				return err
			}
			results.add(r)
		}
	}
	if *junit != "" {
		if err := results.writeJUnit(*junit, c.out); err != nil {
			return err
		}
	}
	switch {
	case *asJSON:
		err = printJSON(c.out, results, nil)
	case *junit != outfile.StandardOutput:
		_, err = io.WriteString(c.out, results.String())
	}
	if err == nil && results.Failed > 0 {
		err = fmt.Errorf("%w, failed tests: %d of %d", errUnexpected, results.Failed, len(results.Tests))
	}
	return err
}

// readExpectations reads all files, and reports the faults of all.
func readExpectations(names []string) ([]*expect.File, error) {
	var files []*expect.File
	var found []generator.Diagnostic
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil {
			return nil, err
		}
		if info.Size() > maxExpectations {
			return nil, fmt.Errorf("%s is longer than the %d bytes of a file of expectations", name, maxExpectations)
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		f, faults := expect.Parse(name, withoutMark(text))
		files, found = append(files, f), append(found, faults...)
	}
	if len(found) > 0 {
		return nil, &generator.ContentError{Diagnostics: found}
	}
	return files, nil
}

type tester struct {
	release, other *openedRelease // other is nil without --against
}

type testResult struct {
	File     string           `json:"file"`
	Line     int              `json:"line"`
	Name     string           `json:"name"`
	Request  string           `json:"request"`
	Failures []expect.Failure `json:"failures,omitempty"`
}

func (t *tester) run(f *expect.File, test *expect.Test) (testResult, error) {
	result := testResult{File: test.File, Line: test.Line, Name: test.Name, Request: test.Request()}
	body, err := t.release.get(test.Target, test.Body, searchText{name: "search", text: string(test.Body)})
	if refused, ok := errors.AsType[*bodyError](err); ok {
		result.Failures = []expect.Failure{{What: "response", Expected: "200", Got: refusal(f, test, refused)}}
		return result, nil
	}
	if err != nil {
		return result, err
	}
	if result.Failures, err = test.Run(body); err != nil || t.other == nil || !test.Compares() {
		return result, err
	}
	if path, _, _ := strings.Cut(test.Target, "?"); t.other.Readers[envOf(path)] == nil {
		return result, nil // the environment is new
	}
	other, err := t.other.get(test.Target, test.Body, searchText{})
	if is[*bodyError](err) {
		return result, nil // the other release has no total to compare with
	}
	if err != nil {
		return result, err
	}
	fallen, err := test.Compare(body, other)
	result.Failures = append(result.Failures, fallen...)
	return result, err
}

func envOf(path string) string {
	route, _ := address.ParsePath(path)
	return route.Env
}

// refusal returns the message of a problem and, for a body, its place in the file.
func refusal(f *expect.File, test *expect.Test, e *bodyError) string {
	text := fmt.Sprintf("%d %s: %s", e.problem.Status, e.problem.Code, e.problem.Message)
	if at := e.offset(); test.Body != nil && at >= 0 {
		line, column := position(string(f.Text), test.BodyAt+at)
		text += fmt.Sprintf(" (%s:%d:%d)", test.File, line, column)
	}
	return text
}

type testResults struct {
	Build  string       `json:"build"`
	Failed int          `json:"failed"`
	Tests  []testResult `json:"tests"`
}

func (r *testResults) add(t testResult) {
	if len(t.Failures) > 0 {
		r.Failed++
	}
	r.Tests = append(r.Tests, t)
}

// maxRequest bounds a request in a message, in bytes.
const maxRequest = 500

// String returns a block for each failed test, and a summary.
func (r *testResults) String() string {
	var b strings.Builder
	for _, t := range r.Tests {
		if len(t.Failures) > 0 {
			fmt.Fprintf(&b, "%s:%d: %s\n%s", printable(t.File), t.Line, printable(t.Name), t.failures())
		}
	}
	fmt.Fprintf(&b, "%s: tests %d, failed %d\n", r.Build, len(r.Tests), r.Failed)
	return b.String()
}

func (t *testResult) failures() string {
	var b strings.Builder
	for _, f := range t.Failures {
		fmt.Fprintf(&b, "  %s\n", printable(f.String()))
	}
	request := t.Request
	if len(request) > maxRequest {
		request = strings.ToValidUTF8(request[:maxRequest], "") + "…"
	}
	fmt.Fprintf(&b, "  request: %s\n", printable(request))
	return b.String()
}

type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	File    string        `xml:"file,attr"`
	Line    int           `xml:"line,attr"`
	Failure *junitFailure `xml:"failure"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

func (r *testResults) writeJUnit(name string, stdout io.Writer) error {
	s := junitSuite{Name: "release " + r.Build, Tests: len(r.Tests), Failures: r.Failed}
	for _, t := range r.Tests {
		c := junitCase{Name: t.Name, Class: t.File, File: t.File, Line: t.Line}
		if len(t.Failures) > 0 {
			c.Failure = &junitFailure{t.Failures[0].String(), t.failures()}
		}
		s.Cases = append(s.Cases, c)
	}
	b, err := xml.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return outfile.Write(name, append([]byte(xml.Header), append(b, '\n')...), stdout)
}
