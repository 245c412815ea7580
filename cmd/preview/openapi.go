// This file describes the interface of the release that is served, for the page and for tools.

package main

import (
	"os"
	"path/filepath"

	"contentedge/edgeserve/wire/release"
	"contentedge/generator/openapi"
)

// describe returns the document of OpenAPI for the current release, or for one of its environments.
func (p *preview) describe(env string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(p.config.Out, release.ManifestName))
	if err != nil {
		return nil, err
	}
	m, err := release.Parse(text)
	if err != nil {
		return nil, err
	}
	return openapi.Document(m, env)
}
