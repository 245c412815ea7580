// This file opens the page in the system's browser.

package main

import (
	"fmt"
	"os/exec"
	"runtime"

	"contentedge/edgeserve/crash"
)

func browserCommand(url string) []string {
	switch runtime.GOOS {
	case "darwin":
		return []string{"open", url}
	case "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler", url}
	}
	return []string{"xdg-open", url}
}

// openBrowser returns at once: the command may run as long as the browser does.
func openBrowser(url string, warn func(string)) {
	command := browserCommand(url)
	go func() {
		defer crash.Exit()
		if err := exec.Command(command[0], command[1:]...).Run(); err != nil {
			warn(fmt.Sprintf("no browser was opened (%v); open %s yourself", err, url))
		}
	}()
}
