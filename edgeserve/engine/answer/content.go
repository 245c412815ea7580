// This file finds what a request asks for by its address alone.

package answer

import (
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/problem"
	"contentedge/edgeserve/wire/release"
)

// Content is what an address stands for.
type Content struct {
	Class release.Class
	// File is the name of the file that has the response on nodes with files; "": none has it.
	File string
	// Key names the response among all responses of a release. It is "" if the response depends on the body
	// of the request too.
	Key string

	release *Release
	route   address.Route
	query   string
	family  *release.Family // of a list
	saved   *release.Search // of a saved search
}

// Find returns what a request asks for, by its route and raw query.
func (v *Release) Find(route address.Route, query string) (Content, error) {
	c := Content{Class: release.ClassOf(route.Kind), release: v, route: route, query: query}
	if route.Kind.IsElastic() {
		return c, nil
	}
	if v.Environments[route.Env] == nil {
		return c, refused(problem.UnknownEnvironment)
	}
	switch route.Kind {
	case address.Item:
		c.File = address.ItemFile(route.Env, route.ID)
		c.Key = c.File
	case address.SavedSearch:
		c.saved = v.Manifest.Search(route.Env, route.ID)
		if c.saved == nil || route.Page > c.saved.Files {
			return c, refused(problem.UnknownSearch)
		}
		c.File = address.SavedFile(route.Env, route.ID, route.Page)
		c.Key = c.File
	case address.Contents, address.ListFile:
		return c, c.findList()
	}
	return c, nil
}

func (c *Content) findList() (err error) {
	v := c.release
	if c.route.Kind == address.Contents {
		if c.route.List, err = address.ParseList(c.query, v.Manifest.ListDefaults()); err == nil && v.StrictParameters {
			err = address.KnownParameters(c.query)
		}
		if err != nil {
			return err
		}
	}
	l, inFile := &c.route.List, false
	if c.family = v.Manifest.Family(c.route.Env, *l); c.family != nil {
		c.File, inFile = l.File(c.route.Env)
	}
	if inFile {
		c.Key = c.keyPrefix() + c.File
	} else {
		c.File = ""
		var room [256]byte
		b := append(append(room[:0], c.keyPrefix()...), c.route.Env...)
		c.Key = string(l.AppendCanonical(append(b, '?')))
	}
	return nil
}

// HasFile reports whether a release that came with files has the file of this content.
func (c *Content) HasFile() bool {
	switch {
	case c.family != nil:
		return c.family.HasPage(c.route.List)
	case c.route.Kind == address.Item:
		_, found, err := c.items().Item(c.route.ID)
		return found && err == nil
	}
	return c.File != ""
}

// LinksNeedTotal reports whether the links depend on the total, which is known from the body alone.
func (c *Content) LinksNeedTotal() bool {
	return c.route.Kind == address.Contents || c.route.Kind == address.ListFile
}

// Link is the value of the Link header, empty for none. total is the number of items of a list.
func (c *Content) Link(total int) []byte {
	switch {
	case c.saved != nil:
		return address.SavedLinks(c.saved.Name, c.route.Page, c.saved.Files)
	case c.LinksNeedTotal():
		return c.route.List.Links(c.route.Kind, total)
	}
	return nil
}

// keyPrefix begins the keys of lists by their query: their links differ from those of list files.
func (c *Content) keyPrefix() string {
	if c.route.Kind == address.ListFile {
		return ""
	}
	return "?"
}
