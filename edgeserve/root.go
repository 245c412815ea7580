// This file answers GET / with the document of package respond, if preview's page does not.

package edgeserve

import (
	"github.com/gofiber/fiber/v2"

	"contentedge/edgeserve/engine/respond"
	"contentedge/edgeserve/serve/metrics"
)

func (a *fiberAdapter) root(c *fiber.Ctx) error {
	ctx := c.Context()
	if a.shared.fallback != nil && a.shared.fallback(ctx) {
		return nil
	}
	setRoute(ctx, metrics.Unknown)
	resp := &ctx.Response
	resp.SwapBody(a.respond.fields.SetHome(&resp.Header, requestOf(ctx), a.home(), resp.SwapBody(nil)[:0]))
	a.respond.nameRelease(resp)
	return nil
}

// home is what the document at / says. It names only the environments that may be listed.
func (a *fiberAdapter) home() respond.Home {
	home := respond.Home{ListEnvironments: a.listEnvironments, Documentation: a.documentation}
	current := a.shared.current.Served.Load()
	if current == nil {
		return home
	}
	home.Release = current.Generation.Dir.Manifest.Build
	if a.listEnvironments {
		for i := range current.Generation.Dir.Manifest.Environments {
			home.Environments = append(home.Environments, current.Generation.Dir.Manifest.Environments[i].ID)
		}
	}
	return home
}
