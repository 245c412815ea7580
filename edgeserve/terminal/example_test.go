package terminal_test

import (
	"fmt"

	"contentedge/edgeserve/terminal"
)

// A name from content cannot move the cursor, begin a line, or be a command of a CI system.
func ExampleText() {
	fmt.Println(terminal.Text("a\x1b[2Jb\n##vso[task.complete]"))
	// Output:
	// a\u001b[2Jb\u000a##vso\u005btask.complete]
}
