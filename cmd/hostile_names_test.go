package cmd

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// hostileName has what a terminal or a CI system would obey, with the line ends before it.
const hostileName = "k\nforged\n::set-output name=build::forged\r\n::stop-commands::x\n\x1b]0;pwned\a\x1b[2J\u009b31m\x7f\u202egnp.exe\u2066\u2028::error::x ##vso[task.setvariable variable=x]y ##teamcity[x] ##[error]z"

// commands are what Azure Pipelines and TeamCity obey anywhere in a line.
var commands = regexp.MustCompile(`(?i)##(vso|teamcity)?\[`)

// TestHostileNames puts one hostile text wherever content can have one, and reads what each command prints.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	bin := binaries(t, "generator")
	dir := t.TempDir()
	hostileContent(t, filepath.Join(dir, "c", "site"))
	if err := os.WriteFile(filepath.Join(dir, "log"), []byte(`{"query":{"term":{"`+"Data.x"+`":1}}}`+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"build", "--content", "c", "--out", "p"}, {"build", "--content", "c", "--out", "p2", "--strict"}, {"plan", "--content", "c"},
		{"build", "--content", "wrong", "--out", "p3"}, {"inspect", "p"}, {"verify", "p"}, {"diff", "p", "p"}, {"diff", "p", "p2"}, {"diff", "p", "p2", "--format", "json"}, {"inspect", hostileName}, {"import", "json", "c/site/a.json", "--env", hostileName}, {"import", "json", hostileName, "--env", "site"}, {"pull", "http://127.0.0.1:1/" + hostileName, "--env", "site"}, {"query", "p", "site", `{"size":0}`},
		{"types", "ts", "--public", "p", "--env", "site"}, {"types", "go", "--public", "p", "--env", "site"}, {"openapi", "--public", "p"}, {"test", "p", "log"}, {"hosts", "nginx", "--public", "p"}, {"build", "--content", hostileName, "--out", "p4"}, {hostileName}, {"build", "--" + hostileName}, {"inspect", "p", hostileName},
		{"why", "site", "a", "--content", "c"}, {"why", "site", "a", "--content", "c", "--json"}, {"why", "site", hostileName, "--content", "c"}, {"why", "site", "site/" + hostileName + ".json", "--content", "c"}, {"why", hostileName, "a"}, {"why", "site", "x.yaml", "--content", "wrong"},
		{"why", "site", "a", "--content", "c", "--node", "http://127.0.0.1:1/" + hostileName}, {"why", "site", "a", "--content", "c", "--store", hostileName},
		{"publish", hostileName}, {"publish", "s3://b/l", "--public", hostileName}, {"publish", "s3://b/l", "--public", "p", "--sign", hostileName}, {"publish", "s3://b/l", "--origin", hostileName}, {"releases", hostileName}, {"releases", "list", hostileName}, {"releases", "promote", "s3://b/l", hostileName}, {"load", "--to", hostileName}, {"load", "--to", "http://127.0.0.1:1", "--public", hostileName},
	} {
		cmd := exec.Command(bin["generator"], args...)
		cmd.Dir = dir
		out, _ := cmd.CombinedOutput() // some refuse the content
		checkPrinted(t, args, out)
	}
}

// checkPrinted checks that a terminal, or a CI system, obeys nothing of what a command printed.
func checkPrinted(t *testing.T, args []string, out []byte) {
	t.Helper()
	if len(out) == 0 {
		t.Errorf("%.40q prints nothing", args)
	}
	controls := func(r rune) bool {
		return unicode.IsControl(r) && r != '\t' || unicode.In(r, unicode.Bidi_Control) || r == '\u2028'
	}
	for line := range strings.Lines(string(out)) {
		begin := strings.TrimLeft(line, " \t")
		if commands.MatchString(line) || strings.HasPrefix(begin, "::") || strings.HasPrefix(begin, "forged") || strings.ContainsFunc(strings.TrimRight(line, "\n"), controls) {
			t.Errorf("%.40q prints %q in\n%.3000s", args, line, out)
			break
		}
	}
}

// TestDeliverOnAzure: the tasks of a job print no command of Azure Pipelines, which cannot be told to obey no line.
func TestDeliverOnAzure(t *testing.T) {
	t.Parallel()
	j := newJob(t)
	hostileContent(t, filepath.Join(j.dir, "c", "site"))
	for _, content := range []string{"c", "wrong"} {
		_, out := j.deliver("build", "TF_BUILD=True", "DELIVER_CONTENT="+content, "DELIVER_OUT=out")
		if !strings.Contains(out, "set-output") || commands.MatchString(out) {
			t.Errorf("%s: %s", content, out)
		}
	}
}

// hostileContent writes items that are right but for their names, and others that are wrong.
func hostileContent(t *testing.T, dir string) {
	t.Helper()
	wrong := filepath.Join(dir, "..", "..", "wrong", "site")
	for _, d := range []string{dir, wrong} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	item := func(id string, data any) map[string]any {
		return map[string]any{"ContentID": id, "Name": hostileName, "TemplateName": hostileName, "CreatedBy": hostileName, "CreatedAt": "2024-01-01T00:00:00Z", "Data": data, hostileName: 1}
	}
	write := func(path string, v any) {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(dir, "a.json"), item("a", map[string]any{hostileName: 1, "big " + hostileName: json.Number("1e400")}))
	write(filepath.Join(dir, strings.ReplaceAll(hostileName, "\x00", "")+".json"), item("b", map[string]any{hostileName: "x"}))
	write(filepath.Join(dir, "media.json"), item("c", map[string]any{"m": map[string]any{"Type": "Reference", "ReferenceType": "Media", "MediaUrl": "./" + hostileName}}))
	write(filepath.Join(dir, "reference.json"), item("d", map[string]any{"r": map[string]any{"Type": "Reference", "ReferenceType": "Content", "ReferenceID": hostileName}}))
	write(filepath.Join(wrong, hostileName+".json"), map[string]any{"ContentID": hostileName, "Name": 1, "TemplateName": hostileName, "CreatedAt": hostileName, "Data": hostileName})
	if err := os.WriteFile(filepath.Join(wrong, "x.yaml"), []byte("- {"+hostileName+": [}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(wrong, "_environment.yaml"), []byte("\""+`k\u001b[2J\n::x`+"\": 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestDeliverStopsCommands prints what comes from the content where GitHub obeys no line.
func TestDeliverStopsCommands(t *testing.T) {
	t.Parallel()
	j := newJob(t)
	hostileContent(t, filepath.Join(j.dir, "c", "site"))
	for _, content := range []string{"c", "wrong"} {
		_, out := j.deliver("build", "GITHUB_ACTIONS=true", "DELIVER_CONTENT="+content, "DELIVER_OUT=out") // the second content is refused
		lines := strings.Split(strings.TrimSpace(out), "\n")
		word, ok := strings.CutPrefix(lines[0], "::stop-commands::")
		if !ok || len(word) != 32 || lines[len(lines)-1] != "::"+word+"::" || len(lines) < 3 || strings.Count(out, word) != 2 {
			t.Errorf("%s: %s", content, out)
		}
	}
}
