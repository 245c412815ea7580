// This file lets the programs print their completions and manual pages.

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// shells are the names of completions, as shells look for them.
var shells = []struct {
	kind        documentKind
	shell, name string
}{
	{bash, "bash", "%s.bash"},
	{zsh, "zsh", "_%s"},
	{fish, "fish", "%s.fish"},
	{powershell, "powershell", "%s.ps1"},
}

func (j *job) printDocuments(program string) (all []document, err error) {
	if err := j.checkVersion(program); err != nil {
		return nil, err
	}
	for _, s := range shells {
		text, err := j.output(program, "completion", s.shell)
		if err != nil {
			return nil, err
		}
		all = append(all, document{s.kind, fmt.Sprintf(s.name, program), text})
	}
	pages, err := j.manual(program)
	return append(all, pages...), err
}

// manual are the manual pages of a program: one for itself, and one for each command.
func (j *job) manual(program string) (all []document, err error) {
	dir := filepath.Join(j.work, "man", program)
	if _, err := j.output(program, "man", dir); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		all = append(all, document{man, e.Name(), text})
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s man writes no pages", program)
	}
	return all, nil
}

// checkVersion compares the version of names and packages with the one that a program prints.
func (j *job) checkVersion(program string) error {
	text, err := j.output(program, "--version")
	if first, _, _ := strings.Cut(string(text), "\n"); err == nil && first != program+" "+j.src.Version {
		err = fmt.Errorf("%s is version %q, not %s", program, first, j.src.Version)
	}
	return err
}

// output runs a program of this machine. Settings of the user are none of its business.
func (j *job) output(program string, args ...string) ([]byte, error) {
	cmd := exec.Command(j.src.Program(program, native()), args...)
	cmd.Env = []string{"HOME=" + j.work, "LC_ALL=C", "TZ=UTC", fmt.Sprintf("SOURCE_DATE_EPOCH=%d", j.src.Time.Unix())}
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w%s", program, strings.Join(args, " "), err, stderrOf(err))
	}
	return text, nil
}

func stderrOf(err error) string {
	if exit, ok := err.(*exec.ExitError); ok && len(exit.Stderr) > 0 {
		return "\n" + string(exit.Stderr)
	}
	return ""
}
