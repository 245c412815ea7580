// This file answers GET / with the document of package respond, if preview's page does not.

package edgeserve

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gofiber/fiber/v2"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/respond"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/serve/metrics"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/envelope"
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
	current := a.shared.current.Acquire()
	if current == nil {
		return home
	}
	defer current.Generation.Release()
	dir := &current.Generation.Dir
	home.Release = dir.Manifest.Build
	if a.listEnvironments {
		for i := range dir.Manifest.Environments {
			e := respond.HomeEnvironment{ID: dir.Manifest.Environments[i].ID}
			if i < maxExamples && current.Generation.Content == nil { // else the items are on other machines
				e.Item, e.Word = exampleOf(dir.Readers[e.ID])
			}
			home.Environments = append(home.Environments, e)
		}
	}
	return home
}

// The limits of the work for the examples of the document at /.
const (
	maxExamples    = 20       // environments with an item and a search
	maxExample     = 64 << 10 // bytes of the item
	maxExampleName = 256      // bytes of its name
)

// exampleOf returns the id of the first item of an environment and a word of its name, "" for what it does not have.
func exampleOf(items *snapshot.Reader) (id, word string) {
	if items == nil || items.Items() == 0 {
		return "", ""
	}
	item := items.Fragment(0)
	if len(item) > maxExample {
		return "", ""
	}
	name := envelope.TextOf(item, address.FieldName)
	if len(name) <= maxExampleName {
		for _, term := range analysis.Terms(name) {
			if isPlainWord(term) {
				word = term
				break
			}
		}
	}
	return envelope.TextOf(item, address.FieldContentID), word
}

// isPlainWord reports whether a term of at least two characters means only itself in a query string.
func isPlainWord(term string) bool {
	return utf8.RuneCountInString(term) > 1 && !strings.ContainsFunc(term, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
