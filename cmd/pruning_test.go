// This file tests what the linker leaves out of the programs.

package cmd

import (
	"os/exec"
	"strings"
	"testing"
)

// canary is an exported method of a type that all programs pass as an interface, and that none calls.
const canary = "time.Time.GobEncode"

// TestLinkerPrunesMethods expects no unused method in the programs. Where a program can reach
// reflect.Value.MethodByName, the linker keeps every exported method of every type: megabytes. The
// generator can, through text/template in generator/hosts: it shows that the canary sings.
func TestLinkerPrunesMethods(t *testing.T) {
	bin := binaries(t, "generator", "edgeserve", "preview")
	for program, prunes := range map[string]bool{"edgeserve": true, "preview": true, "generator": false} {
		out, err := exec.Command("go", "tool", "nm", bin[program]).Output()
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(out), " "+canary+"\n") == prunes {
			t.Errorf("%s: unused methods are left out: %t, want %t", program, !prunes, prunes)
		}
	}
}
