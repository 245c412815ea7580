// This file describes the interface of the release by OpenAPI.

package answer

import (
	"strings"

	"contentedge/edgeserve/engine/openapi"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/problem"
)

// findDescription reads which environment the document describes. A release that does not list its environments has one
// document for all queries, so that no response says which environments exist.
func (c *Content) findDescription() (err error) {
	v := c.release
	c.Key = strings.TrimPrefix(address.Description.Path(), "/")
	if !v.ListEnvironments {
		c.openapi = openapi.Generic(v.Manifest.Build)
		return nil
	}
	env, err := address.ParseDescription(c.query)
	if err != nil {
		return err
	}
	if c.openapi, err = openapi.New(v.Manifest, env); err != nil {
		return refused(problem.UnknownEnvironment)
	}
	if env != "" {
		c.Key += "?" + env
	}
	return nil
}

// documentSteps are the steps of writing a byte of the document.
const documentSteps = 2

func (c *Content) description(work *scorer.WorkLimit) (Answer, error) {
	size := c.openapi.Size()
	if err := work.Charge(documentSteps * size); err != nil {
		return Answer{}, err
	}
	return New(size, func(dst []byte) ([]byte, error) { return c.openapi.Append(dst), nil }), nil
}
