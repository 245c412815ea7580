// This file runs what the templates of jobs say, as they are, in a repository of Markdown without tests.

package cmd

import (
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

const templates = "../scripts/package.d/ci/"

// readYAML reads a template.
func (j *job) readYAML(name string, to any) {
	j.t.Helper()
	if err := yaml.Unmarshal([]byte(j.read(name)), to); err != nil {
		j.t.Fatalf("%s: %v", name, err)
	}
}

// edited returns a job with a page that a second commit changes, and the first commit.
func edited(t *testing.T) (*job, string) {
	t.Helper()
	j := newJob(t)
	j.page("about", "About")
	base := j.commit()
	j.page("about", "About us")
	j.commit()
	return j, base
}

// shell runs lines of a job and returns the output.
func (j *job) shell(lines string, env map[string]string) string {
	j.t.Helper()
	cmd := exec.Command("bash", "-e", "-o", "pipefail", "-c", lines)
	cmd.Dir, cmd.Env = j.dir, j.env
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		j.t.Errorf("%s: %v\n%s", lines, err, out)
	}
	return string(out)
}

func TestDeliverTemplateOfGitLab(t *testing.T) {
	t.Parallel()
	j, base := edited(t)
	var template struct {
		Variables map[string]string
		Content   struct{ Script []string }
	}
	j.readYAML(templates+"gitlab-ci.yml", &template)
	env := template.Variables
	if env["GIT_DEPTH"] != "0" || len(template.Content.Script) == 0 {
		t.Fatalf("%+v", template)
	}
	env["CI_PIPELINE_SOURCE"], env["CI_MERGE_REQUEST_DIFF_BASE_SHA"], env["GITLAB_TOKEN"] = "merge_request_event", base, ""
	env["deliver"] = script(t)
	if out := j.shell(strings.Join(template.Content.Script, "\n"), env); !strings.Contains(out, "no expectations") {
		t.Errorf("the job says:\n%s", out)
	}
	if got := j.comment(); !strings.Contains(got, "changed 1") {
		t.Errorf("the comment: %s", got)
	}
}

func TestDeliverTemplateOfGitHub(t *testing.T) {
	t.Parallel()
	j, base := edited(t)
	var workflow struct {
		Jobs struct {
			Content struct {
				Steps []struct{ With map[string]any }
			}
		}
	}
	var action struct {
		Inputs map[string]struct{ Default string }
		Runs   struct {
			Steps []struct {
				Name, Run string
				Env       map[string]string
			}
		}
	}
	j.readYAML(templates+"github.yml", &workflow)
	j.readYAML("../action.yml", &action)
	steps := workflow.Jobs.Content.Steps
	if len(steps) != 2 || steps[0].With["fetch-depth"] != uint64(0) {
		t.Fatalf("%+v", steps)
	}
	temp := t.TempDir()
	values := []string{"${{ runner.temp }}", temp, "${{ github.event.pull_request.base.sha }}", base}
	for name, input := range action.Inputs {
		value := input.Default
		if text, ok := steps[1].With[name].(string); ok {
			value = text
		}
		values = append(values, "${{ inputs."+name+" }}", value)
	}
	said := ""
	for _, step := range action.Runs.Steps {
		if step.Name != "Build" && step.Name != "Test searches" && step.Name != "Compare with the base" {
			continue
		}
		for name, value := range step.Env {
			step.Env[name] = strings.NewReplacer(values...).Replace(value)
		}
		step.Env["DELIVER"], step.Env["GITHUB_STEP_SUMMARY"] = script(t), filepath.Join(temp, "summary")
		said += j.shell(step.Run, step.Env)
	}
	if !strings.Contains(said, "no expectations") {
		t.Errorf("the job says:\n%s", said)
	}
	if got := j.read(filepath.Join(temp, "summary")); !strings.Contains(got, "changed 1") {
		t.Errorf("the summary: %s", got)
	}
}

// TestDeliverPage compares the page with the variables and commands of the script, and with the inputs and outputs of the action.
func TestDeliverPage(t *testing.T) {
	t.Parallel()
	j := &job{t: t}
	page, text := j.read(templates+"README.md"), j.read(templates+"deliver")
	var action struct{ Inputs, Outputs map[string]any }
	j.readYAML("../action.yml", &action)
	variable, cells := regexp.MustCompile(`\bDELIVER_[A-Z_]+\b`), regexp.MustCompile("(?m)^\\|( `[^`]+`,?)+ \\|")
	rows := strings.Join(cells.FindAllString(page, -1), "\n")
	_, commands, _ := strings.Cut(text, "case \"${1-}\" in\n")
	words := strings.Fields(regexp.MustCompile(`(?m)^  ([a-z |]+)\)`).FindString(commands))
	words = append(words, "test", "diff")
	words = append(words, variable.FindAllString(text, -1)...)
	words = slices.AppendSeq(words, maps.Keys(action.Inputs))
	words = slices.AppendSeq(words, maps.Keys(action.Outputs))
	for _, word := range words {
		if word = strings.Trim(word, "|)"); word != "" && !strings.Contains(rows, "`"+word+"`") {
			t.Errorf("no row of %sREADME.md begins with %s", templates, word)
		}
	}
	for _, name := range variable.FindAllString(rows, -1) {
		if !strings.Contains(text, name) {
			t.Errorf("the script does not read %s", name)
		}
	}
}
