// This file is the test command.

package main

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"contentedge/cmd/cli"
	"contentedge/cmd/outfile"
	"contentedge/edgeserve/exitcode"
	"contentedge/edgeserve/wire/address"
	"contentedge/generator"
	"contentedge/generator/expect"
)

// testSettings are the settings of test.
type testSettings struct {
	against, junit string
	json           bool
}

func testCommand(c console) *cli.Command {
	var t testSettings
	cmd := &cli.Command{
		Name: "test", Args: "RELEASE FILE...", Summary: "compare a release's responses to searches with files of expectations", Purpose: purposeLook,
		Long: "Answers the searches of files of expectations from a release, without a server, and compares the responses with what the files expect. " +
			"RELEASE is a directory with releases, or one release. If a response differs, the exit status is 2.",
		Examples: []cli.Example{
			{Line: "generator test public searches.json"},
			{Line: "generator test public searches.json --against public/previous --junit results.xml", Text: "in CI, with the previous release"},
		},
	}
	g := cmd.Group("Expectations")
	g.String(&t.against, "against", "DIR", "another release: totals may not fall by more than maxFall").CommandLineOnly()
	g = cmd.Group(groupOutput)
	g.String(&t.junit, "junit", "FILE", "write the results as JUnit XML, for CI; - prints them instead of the summary")
	g.Bool(&t.json, "json", "print one JSON object")
	cmd.Check = func() error {
		if t.junit == outfile.StandardOutput && t.json {
			return wrongUsage("--json and --junit - both print their results", "omit one, or name a file")
		}
		return nil
	}
	cmd.Run = func(ctx context.Context, args []string) error { return t.run(ctx, args[0], args[1:], c) }
	return cmd
}

// maxExpectations bounds a file of expectations, in bytes.
const maxExpectations = 64 << 20

const unexpected = "the release does not answer as expected"

var errUnexpected = exitcode.NewRefusal(unexpected, unexpected)

func (s *testSettings) run(ctx context.Context, dir string, names []string, c console) error {
	files, err := readExpectations(names)
	if err != nil {
		return err
	}
	t := tester{}
	if t.release, err = openRelease(dir); err != nil {
		return err
	}
	defer t.release.Close()
	if s.against != "" {
		if t.other, err = openRelease(s.against); err != nil {
			return err
		}
		defer t.other.Close()
	}
	results, err := t.all(ctx, files)
	if err != nil {
		return err
	}
	if s.junit != "" {
		if err := results.writeJUnit(s.junit, c.documents()); err != nil {
			return err
		}
	}
	switch {
	case s.json:
		err = printJSON(c.documents(), results, nil)
	case s.junit != outfile.StandardOutput:
		_, err = io.WriteString(c.out, results.String())
	}
	if err == nil && results.Failed > 0 {
		err = fmt.Errorf("%w, failed tests: %d of %d", errUnexpected, results.Failed, len(results.Tests))
	}
	return err
}

// all runs the tests of files.
func (t *tester) all(ctx context.Context, files []*expect.File) (*testResults, error) {
	results := &testResults{Build: t.release.Build(), Tests: []testResult{}}
	for _, f := range files {
		for i := range f.Tests {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			r, err := t.run(f, &f.Tests[i])
			if err != nil {
				return nil, err
			}
			results.add(r)
		}
	}
	return results, nil
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
	if _, ok := errors.AsType[*bodyError](err); ok {
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
	b = bytes.ReplaceAll(b, []byte("##"), []byte("#&#35;")) // Azure Pipelines and TeamCity obey texts such as ##vso[
	return outfile.Write(name, append([]byte(xml.Header), append(b, '\n')...), stdout)
}
