// This file says what the items of each template hold.

package model

import "contentedge/generator/mapping"

// The bytes that templates may have in a manifest: of a release, and of an environment. Nodes read the manifest
// whenever a release changes, and generated types of thousands of paths are useless.
const (
	maxTemplates    = 16 << 20
	maxEnvTemplates = 1 << 20
)

// templatesLimit is how many bytes the templates of an environment may have, in a site of so many.
func templatesLimit(environments int) int {
	return min(maxEnvTemplates, maxTemplates/max(environments, 1))
}

func (l *loader) templates(site *Site) {
	limit := templatesLimit(len(site.Envs))
	for i := range site.Envs {
		env := &site.Envs[i]
		env.Templates, env.TemplatesLeftOut = mapping.Templates(env.surveys, env.targets, FieldNames[fieldData], limit)
		env.surveys, env.targets = nil, nil
	}
}
