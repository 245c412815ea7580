// This file finds the content that the address of a request names, before anything is evaluated.

package answer

import (
	"contentedge/edgeserve/engine/elastic"
	"contentedge/edgeserve/engine/openapi"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/problem"
	"contentedge/edgeserve/wire/release"
)

// Content is the item, the list, the search or the endpoint that an address names.
type Content struct {
	Class release.Class
	// File is the name of the file that holds the response on nodes with files. "" without such a file.
	File string
	// Key names the response among all responses of a release. It is "" if the response also depends on the
	// body of the request.
	Key string

	release *Release
	route   address.Route
	query   string
	family  *release.Family // of a list
	show    address.Show    // of an item
	saved   *release.Search // of a saved search
	openapi *openapi.Document
}

// Find returns the content of an address, given as a route and a raw query.
func (v *Release) Find(route address.Route, query string) (Content, error) {
	c := Content{Class: release.ClassOf(route.Kind), release: v, route: route, query: query}
	if route.Kind.IsElastic() {
		return c, nil
	}
	if route.Kind == address.Media { // which only nodes have, in files
		return c, refused(problem.UnknownMedia)
	}
	if route.Kind == address.Description {
		return c, c.findDescription()
	}
	if v.Environments[route.Env] == nil {
		return c, refused(problem.UnknownEnvironment)
	}
	switch route.Kind {
	case address.Item:
		return c, c.findItem()
	case address.UsedIn:
		return c, c.findUsedIn()
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

// findItem reads the parameters of an item. The name of a file has none.
func (c *Content) findItem() (err error) {
	c.Key = address.ItemFile(c.route.Env, c.route.ID)
	if !c.route.ByFile {
		c.show, err = address.ParseItem(c.query)
	}
	if c.show == (address.Show{}) {
		c.File = c.Key
	} else {
		c.Key += "?" + c.show.Canonical()
	}
	return err
}

func (c *Content) findList() (err error) {
	v := c.release
	if c.route.Kind == address.Contents {
		if c.route.List, err = address.ParseList(c.query, v.Manifest.ListDefaults()); err == nil {
			err = checkListParameters(c.query, v.StrictParameters)
		}
		if err != nil {
			return err
		}
		if err = c.checkPaths(); err != nil {
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

// checkPaths refuses filters by paths that are left out of the index. They would find nothing, though items have the
// values.
func (c *Content) checkPaths() error {
	for path := range c.route.List.Data.All() {
		if rule := c.release.Environments[c.route.Env].Fields.Reader.LeftOut().Rule(path); rule != "" {
			return address.LeftOut(path, rule)
		}
	}
	return nil
}

// IsWholeItem reports whether the content is an item as it is in its file.
func (c *Content) IsWholeItem() bool {
	return c.route.Kind == address.Item && c.show == (address.Show{})
}

// Environment returns the environment that the response depends on, with its part of the manifest and the defaults of
// lists. It returns "" if the response may also depend on other environments or on the id of the release.
func (c *Content) Environment() string {
	if c.route.Kind.IsElastic() && !elastic.ReadsOneIndex(c.route) {
		return ""
	}
	return c.route.Env
}

// IsCheap reports whether the content costs no work to speak of: it is a whole item of an environment whose items include
// no others.
func (c *Content) IsCheap() bool {
	if !c.IsWholeItem() || c.release.HasFile != nil {
		return false
	}
	rules, _ := c.release.Manifest.References(c.route.Env)
	return len(rules) == 0
}

// InFile reports whether a release with files has the file of this content, and returns the value of the Link header.
func (c *Content) InFile() (link []byte, ok bool) {
	total := 0
	switch {
	case c.family != nil:
		total, ok = c.family.Page(c.route.List)
	case c.release.HasFile != nil:
		ok = c.File != "" && c.release.HasFile(c.File)
	case c.IsWholeItem():
		var err error
		_, ok, err = c.items().Item(c.route.ID)
		ok = ok && err == nil
	default:
		ok = c.File != ""
	}
	if ok {
		link = c.Link(total)
	}
	return link, ok
}

// IsList reports whether the content is a list, whose links depend on the number of its items.
func (c *Content) IsList() bool {
	return c.route.Kind == address.Contents || c.route.Kind == address.ListFile
}

// Link returns the value of the Link header, or nothing without links. total is the number of items of a list.
func (c *Content) Link(total int) []byte {
	switch {
	case c.saved != nil:
		return address.SavedLinks(c.saved.Name, c.route.Page, c.saved.Files)
	case c.route.Kind == address.Item:
		return c.show.Link()
	case c.IsList():
		return c.route.List.Links(c.route.Kind, total)
	}
	return nil
}

// keyPrefix begins the key of a list. A list addressed by a query has other links than one addressed as a file.
func (c *Content) keyPrefix() string {
	if c.route.Kind == address.ListFile {
		return ""
	}
	return "?"
}
