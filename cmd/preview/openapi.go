// This file describes the interface of the release that is served, for the page and for tools.

package main

import (
	"path/filepath"

	"contentedge/edgeserve/engine/openapi"
	"contentedge/edgeserve/engine/releasedir"
	"contentedge/generator/checksums"
)

// describe returns the document of OpenAPI for the current release, or for one of its environments.
func (p *preview) describe(env string) ([]byte, error) {
	path, err := checksums.Manifest(p.config.Out)
	if err != nil {
		return nil, err
	}
	m, _, err := releasedir.ReadManifest(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	return openapi.Document(m, env)
}
