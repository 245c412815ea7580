// This file asks for the dates that git has of files.

package items

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"contentedge/generator/source/documents"
	"contentedge/generator/source/environment"
	"contentedge/generator/source/githistory"
)

// GitQuestion is the kind of Questions about the dates that git has of the file that asks.
const GitQuestion = "git"

// GitAnswer returns the answer to such a Question: the dates, nothing, or why git has no dates at all.
func GitAnswer(d githistory.Dates, ok bool, none *githistory.Unavailable) string {
	switch {
	case none != nil:
		return "!" + none.Message + "\n" + none.Hint
	case !ok:
		return ""
	}
	return fmt.Sprintf("%d %d", d.Created, d.Updated)
}

// datesOfGit sets the dates of the file in git, or returns why git has no dates.
func (m *maker) datesOfGit(d *found) *documents.Kind {
	answer := m.in.Ask(documents.Question{Kind: GitQuestion, Env: m.in.Env, Path: m.in.Path})
	if why, none := strings.CutPrefix(answer, "!"); none {
		message, hint, _ := strings.Cut(why, "\n")
		return noHistory(message, hint)
	}
	created, updated, ok := strings.Cut(answer, " ")
	if !ok {
		return uncommitted
	}
	d.setUnix(environment.Created, created)
	d.setUnix(environment.Updated, updated)
	return uncommitted
}

// setUnix sets a time in seconds. Commits may have times in years that no item can have.
func (d *found) setUnix(role environment.Role, text string) {
	seconds, err := strconv.ParseInt(text, 10, 64)
	if at := time.Unix(seconds, 0).UTC(); err == nil && at.Year() >= 1 && at.Year() <= 9999 {
		d.set(role, at)
	}
}

var uncommitted = &documents.Kind{
	One: "no date: the file has none, and git does not have the file", Many: "no date: %d files have none, and git does not have them",
	Hint: "commit the files" + otherWays, Error: true,
}

func noHistory(message, hint string) *documents.Kind {
	return gitKinds.of(message, func() *documents.Kind {
		return &documents.Kind{One: "no date: the file has none, and " + message, Many: "no date: %d files have none, and " + strings.ReplaceAll(message, "%", "%%"), Hint: hint + otherWays, Error: true}
	})
}

var gitKinds kindsByText
