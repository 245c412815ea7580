// This file writes a version as file names and package managers want it.

package source

import (
	"fmt"
	"regexp"
	"strings"
)

// version is a version of Go's modules: v, three numbers, a pre-release, and nothing after a +, which
// says that a checkout has changes.
var version = regexp.MustCompile(`^v(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$`)

func validVersion(v string) bool { return version.MatchString(v) }

// FileVersion is the version in names of files, without its v.
func (s *Source) FileVersion() string { return strings.TrimPrefix(s.Version, "v") }

// DebianVersion is the version for dpkg and rpm: ~ sorts before the end, so that 1.2.3~rc.1 is older
// than 1.2.3, and a hyphen would begin the revision of the package.
func (s *Source) DebianVersion() string {
	number, pre, found := strings.Cut(s.FileVersion(), "-")
	if !found {
		return number
	}
	return number + "~" + strings.ReplaceAll(pre, "-", ".")
}

var (
	pseudo     = regexp.MustCompile(`(?:^|\.)([0-9]{14})-[0-9a-f]{12}$`)
	preRelease = regexp.MustCompile(`^(alpha|beta|pre|rc)\.?([0-9]*)$`)
)

// AlpineVersion is the version for apk, which knows four kinds of pre-releases and dates of git.
func (s *Source) AlpineVersion() (string, error) {
	number, pre, found := strings.Cut(s.FileVersion(), "-")
	if !found {
		return number, nil
	}
	if m := preRelease.FindStringSubmatch(pre); m != nil {
		return number + "_" + m[1] + m[2], nil
	}
	if m := pseudo.FindStringSubmatch(pre); m != nil {
		// Of no tag, or of a commit after a tag: older than the version that it leads to.
		return number + "_pre" + m[1], nil
	}
	return "", fmt.Errorf("apk has no form for version %s: use a pre-release such as -alpha.1, -beta.1, -pre.1 or -rc.1", s.Version)
}
