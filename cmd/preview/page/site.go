// This file is the interface through which the page reads the items of the last good build.

package page

import (
	"context"

	"contentedge/edgeserve/leftout"
	"contentedge/generator"
)

// Site knows the last good build, as a generator.Session does. Calls may overlap builds.
type Site interface {
	Item(env, id string) (generator.ItemInfo, bool)
	Explain(ctx context.Context, v generator.View, env, id string) (*generator.Explained, error) // of the content as it is now
	Text(env, id string) (json []byte, ok bool)                                                  // of an item
	Fields(env string) []generator.FieldInfo                                                     // every path; empty if the environment does not exist
	LeftOut(env string) leftout.Rules                                                            // of the paths that have no field
	Templates(env string) []generator.TemplateInfo
	Changes() generator.Changes
	Memory() int64 // approximate bytes kept between builds
}
