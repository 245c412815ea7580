// This file completes command lines in the shells that are there.

package cmd

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// completing are scripts that source the completions of a program and print what a shell offers for a
// line. $0 is the program's name, $1 is what stands before the word to complete, $2 is that word.
var completing = map[string]string{
	// The function is of the package bash-completion, without its care for colons and equals signs.
	"bash": `
_get_comp_words_by_ref() { words=("${COMP_WORDS[@]}"); cword=$COMP_CWORD; cur=${words[cword]}; prev=${words[cword-1]}; }
source <("$0" completion bash)
COMP_WORDS=("$0" $1 "$2"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMP_LINE="${COMP_WORDS[*]}"; COMP_POINT=${#COMP_LINE}; COMP_TYPE=9; COMP_KEY=9
__start_$0 2>/dev/null
printf '%s\n' "${COMPREPLY[@]}"`,
	// The stubs print what the script would give to zsh's completion system.
	"zsh": `
compdef() { : }
_describe() { print -rl -- $completions }
_arguments() { : }
source <("$0" completion zsh)
words=("$0" ${=1} "$2"); CURRENT=${#words}
_$0`,
	"fish": `
$argv[1] completion fish | source
complete -C (string join -- ' ' $argv | string replace -a -- '  ' ' ')`,
	"pwsh": `
param($program, $before, $word)
& $program completion powershell | Out-String | Invoke-Expression
$line = (@($program, $before, $word) | Where-Object { $_ -or $_ -eq $word }) -join ' '
(TabExpansion2 -inputScript $line -cursorColumn $line.Length).CompletionMatches | ForEach-Object { $_.CompletionText }`,
}

func TestCompletions(t *testing.T) {
	t.Parallel()
	bin := binaries(t, "edgeserve", "preview", "generator")
	path := filepath.Dir(bin["edgeserve"]) + string(os.PathListSeparator) + os.Getenv("PATH")
	for shell, script := range completing {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(shell); err != nil {
				t.Skip(shell, " is not there")
			}
			for _, c := range []struct{ program, before, word, want string }{
				{"edgeserve", "", "hea", "health"},
				{"edgeserve", "", "--fas", "--fast-path"},
				{"edgeserve", "--fast-path", "", "auto off"},
				{"edgeserve", "completion", "", "bash fish powershell zsh"},
				{"edgeserve", "health", "--ad", "--addr --admin"},
				{"preview", "--as", "v", "visitor"},
				{"generator", "", "publ", "publish"},
				{"generator", "publish", "--qui", "--quiet"},
			} {
				var got []string
				for line := range strings.Lines(complete(t, shell, script, path, c.program, c.before, c.word)) {
					word, _, _ := strings.Cut(strings.TrimSpace(line), "\t") // a description follows in fish, in zsh
					word, _, _ = strings.Cut(word, ":")
					got = append(got, word)
				}
				if strings.Join(got, " ") != c.want {
					t.Errorf("%s %s %s: %q, want %s", c.program, c.before, c.word, got, c.want)
				}
			}
		})
	}
}

func complete(t *testing.T, shell, script, path, program, before, word string) string {
	t.Helper()
	var cmd *exec.Cmd
	switch shell {
	case "bash":
		cmd = exec.Command(shell, "--norc", "-c", script, program, before, word)
	case "zsh":
		cmd = exec.Command(shell, "-f", "-c", script, program, before, word)
	case "fish":
		cmd = exec.Command(shell, "--no-config", "-c", script, program, before, word)
	default:
		cmd = exec.Command(shell, "-NoProfile", "-CommandWithArgs", script, program, before, word)
	}
	cmd.Env = append(os.Environ(), "PATH="+path)
	var problems strings.Builder
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil && len(out) == 0 {
		t.Fatalf("%v\n%s", err, problems.String())
	}
	return strings.TrimSpace(string(out))
}
