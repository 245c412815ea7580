package main

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"contentedge/cmd/cli"
	"contentedge/edgeserve/exitcode"
	"contentedge/generator"
	"contentedge/generator/pull"
	"contentedge/generator/pull/pipeline"
)

// Wrong flags of pull --watch are refused before anything is requested.
func TestWatchFlags(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("short", []byte("0123456789abcde\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("long", []byte("0123456789abcdef\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancelCause(t.Context())
	cancel(errEnded)
	for args, want := range map[string]string{ // "": right
		"--watch 30s":                                                 "",
		"--watch 30s -- --strict --page-size 7":                       "",
		"--watch 30s --":                                              "",
		"--watch 30s --page-size 7 -- --page-size 8":                  "",
		"--watch 30s --admin 127.0.0.1:0 --webhook-secret-file long":  "",
		"--watch 30s --admin 127.0.0.1:0 --webhook-secret-file short": "the secret in --webhook-secret-file has 15 bytes, fewer than 16",
		"--watch 30s --admin 127.0.0.1:0 --webhook-secret-file none":  "no such file",
		"--watch 30s --webhook-secret-file long":                      "--webhook-secret-file needs --admin",
		"--watch 30s --admin here":                                    "is not HOST:PORT",
		"--watch 500ms":                                               "from 1s to 24h",
		"--watch 25h":                                                 "from 1s to 24h",
		"--watch 0s":                                                  "from 1s to 24h",
		"--watch 30":                                                  "must be a duration",
		"--watch 30s --dry-run":                                       "pull --watch does not use --dry-run",
		"--watch 30s --publish /tmp/store":                            "run generator pull --help",
		"--watch 30s -- --content other":                              "does not use --content after --",
		"--watch 30s -- --allow-removal":                              "does not use --allow-removal after --",
		"--watch 30s -- --lists nothing":                              "--lists",
		"--watch 30s -- --out content/public":                         "is inside the content directory",
		"--watch 30s -- --help":                                       "run generator build --help",
		"--watch 30s -- site":                                         "unexpected argument",
		"-- --strict":                                                 "pull once does not use --",
		"--publish s3://bucket/live":                                  "pull once does not use --publish",
		"--admin 127.0.0.1:0":                                         "pull once does not use --admin",
		"--watch 30s --max-removed 101":                               "from 0 to 100",
	} {
		err := dispatch(ended, append([]string{"pull", "http://127.0.0.1:1", "--env", "site"}, strings.Fields(args)...), console{io.Discard, io.Discard})
		switch {
		case want == "" && !errors.Is(err, errEnded):
			t.Errorf("%s: %v", args, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want) || exitcode.Of(err) != exitcode.Usage):
			t.Errorf("%s: %v, want %s", args, err, want)
		}
	}
}

var errEnded = errors.New("ended")

// Errors and warnings that last are printed once, and so is their end.
func TestWatchPrints(t *testing.T) {
	var out, errs strings.Builder
	w := &watcher{c: console{&out, &errs}, out: "public"}
	down := func(text string) error {
		return errors.Join(&pipeline.StepError{Step: pipeline.Pulling, Err: errors.New(text)})
	}
	well := &pipeline.Result{Pull: &pull.Report{Unchanged: true, Warnings: []string{"it is odd"}}}
	for _, run := range []struct {
		result *pipeline.Result
		err    error
		want   string
	}{
		{well, nil, "generator: warning: it is odd\n"},
		{well, nil, ""},
		{&pipeline.Result{}, down("refused after 17ms"), "generator: pull: refused after 17ms\n"},
		{&pipeline.Result{}, down("refused after 4ms"), ""},
		{&pipeline.Result{}, down("no such host"), "generator: pull: no such host\n"},
		{well, nil, "generator: well again after 3 failed runs\n"},
		{&pipeline.Result{}, down("no such host"), "generator: pull: no such host\n"},
	} {
		errs.Reset()
		w.print(run.result, run.err)
		if errs.String() != run.want {
			t.Errorf("printed %q, want %q", errs.String(), run.want)
		}
	}
	if out.String() != "" {
		t.Errorf("printed of runs without news: %s", out.String())
	}
}

// TestWatchBuildSettings: the build of pull --watch takes the settings of generator build, from variables, from the
// file that pull takes, and from the flags after --; names that pull has too mean what they mean to pull.
func TestWatchBuildSettings(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("c.conf", []byte("env = site\ncompress = none\nwatch = 30s\nout = releases\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CONTENTEDGE_PAGE_SIZE", "7")
	t.Setenv("CONTENTEDGE_STATUS", "Published\nDraft")
	p := newProgram(console{io.Discard, io.Discard})
	mirror := newPull(console{io.Discard, io.Discard})
	var got generator.BuildConfig
	mirror.command.Run = func(ctx context.Context, _ []string) (err error) {
		got, err = parseBuild(ctx, mirror)
		return err
	}
	p.Root.Commands[slices.IndexFunc(p.Root.Commands, func(c *cli.Command) bool { return c.Name == "pull" })] = mirror.command
	if err := p.Run(t.Context(), strings.Fields("pull http://127.0.0.1:1 --config c.conf --page-size 9 -- --lists template")); err != nil {
		t.Fatal(err)
	}
	if got.PageSize != 7 || !slices.Equal(got.Visible.Statuses, []string{"Published", "Draft"}) || got.Compress != "none" || got.Out != "releases" || got.Lists != "template" || len(got.Envs) > 0 {
		t.Errorf("the build is %+v", got)
	}
	if mirror.PageSize != 9 || len(mirror.Statuses) > 0 || mirror.Env != "site" || mirror.every != 30*time.Second {
		t.Errorf("the pull is %+v", mirror.Config)
	}
}
