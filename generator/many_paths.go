// This file explains why a build refuses content with too many paths.

package generator

import (
	"cmp"
	"fmt"
	"path/filepath"

	"contentedge/edgeserve/bytesize"
	"contentedge/generator/index"
	"contentedge/generator/model"
	"contentedge/generator/source/environment"
)

// explainPaths says what to do about an environment with too many paths.
func (c *BuildConfig) explainPaths(e *model.TooManyPaths) Diagnostic {
	d := Diagnostic{
		File: filepath.Join(c.Content, e.Env),
		Message: fmt.Sprintf("the items have more than %d different paths, whose index takes %s of memory each; --memory is %s",
			e.Max, bytesize.Format(index.PathBytes), bytesize.Format(cmp.Or(c.Memory, DefaultMemory))),
		Hint: "where keys are ids or dates, make them values; or give the build more --memory",
	}
	if e.Parent != "" {
		d.Message += fmt.Sprintf("; %d of them are below %s", e.Below, e.Parent)
		d.Hint += fmt.Sprintf("; or leave the paths out of searches with search: exclude: [%s] in %s", e.Parent, environment.Name)
	}
	return d
}
