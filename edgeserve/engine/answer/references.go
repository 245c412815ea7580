// This file answers with what references connect: the items that a response's items refer to, and the items that refer
// to an item.

package answer

import (
	"fmt"
	"strings"

	"contentedge/edgeserve/engine/compile"
	"contentedge/edgeserve/engine/hits"
	"contentedge/edgeserve/engine/include"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/search"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/envelope"
	"contentedge/edgeserve/wire/problem"
)

// includedWith returns the items that an item's response includes, and the part that it shows: the items that the
// request asks for, otherwise the items of the environment's rules. It returns nil if the response has no such member.
func (c *Content) includedWith(work *scorer.WorkLimit, item, shown []byte) (*envelope.Included, error) {
	w := include.Walk{Items: c.items(), Work: work}
	levels, asked := c.show.Levels()
	if w.Levels = levels; !asked {
		w.Rules, _ = c.release.Manifest.References(c.route.Env)
		rule := include.RuleOf(w.Rules, item)
		if rule == nil {
			return nil, nil
		}
		w.Levels = rule.Levels
	}
	if w.Levels == 0 {
		return nil, nil
	}
	return w.From(c.route.ID, item, shown)
}

// includedInList returns the items that a list includes if the request asks for them, otherwise nil.
func (c *Content) includedInList(work *scorer.WorkLimit, page *hits.Page, source *query.Source) (*envelope.Included, error) {
	levels, _ := c.route.List.Show.Levels()
	if levels == 0 {
		return nil, nil
	}
	ids := make([]string, page.Len())
	for place := range ids {
		ids[place] = string(page.Matches.Hit(place).ID)
	}
	filter := sourceFilter(source)
	var text []byte
	w := include.Walk{Items: c.items(), Levels: levels, Work: work}
	return w.Run(ids, func(place int) (item, shown []byte, err error) {
		item, _ = page.Matches.Items(place, 1)
		if source == nil {
			return item, item, work.Charge(hitSteps)
		}
		text = filter.Append(text[:0], item)
		return item, text, work.Charge(hitSteps + filter.Work())
	})
}

// findUsedIn finds the list of the items that refer to an item, if the release has such lists.
func (c *Content) findUsedIn() error {
	_, used := c.release.Manifest.References(c.route.Env)
	if !used.Any() {
		return refused(problem.UnknownUsedIn)
	}
	c.File = address.UsedInFile(c.route.Env, c.route.ID)
	c.Key = c.File
	if c.release.HasFile != nil {
		return nil // usedIn asks for the item
	}
	return c.checkUsedIn(nil)
}

// checkUsedIn returns an error if the item of the route has no list of referring items.
func (c *Content) checkUsedIn(work *scorer.WorkLimit) error {
	item, found, err := hits.Item(c.items(), work, c.route.ID)
	_, used := c.release.Manifest.References(c.route.Env)
	switch {
	case err != nil:
		return err
	case !found:
		return refused(problem.UnknownItem)
	case !used.Of(envelope.TextOf(item, address.FieldTemplateName)):
		return refused(problem.UnknownUsedIn)
	}
	return nil
}

// usedIn lists the items that refer to an item, in the default order. The index finds the items that have its id in a
// reference, or in something that looks like a reference.
func (c *Content) usedIn(b Budget) (Answer, error) {
	b.count(kindList)
	candidates := c.referrersQuery()
	if c.release.HasFile != nil {
		if err := c.checkUsedIn(b.Work); err != nil {
			return Answer{}, err
		}
		candidates.Window.Size = query.MaxWindow // clusters have no larger pages
	}
	found, err := c.items().Search(b.Work, candidates, false)
	if err != nil {
		return Answer{}, err
	}
	defer found.Release()
	if found.Total > found.Len() {
		return Answer{}, errManyReferrers
	}
	filter, parts, total, bytes := include.NewReferrerFilter(), [][]byte(nil), 0, 0
	for place := range found.Len() {
		item, _ := found.Matches.Items(place, 1)
		refers, steps := include.RefersTo(item, c.route.ID)
		if err := b.Work.Charge(steps); err != nil {
			return Answer{}, err
		}
		if !refers {
			continue
		}
		if total++; total > include.MaxUsedIn {
			continue
		}
		part := filter.Append(nil, item)
		if err := b.Work.Charge(hitSteps + filter.Work()); err != nil {
			return Answer{}, err
		}
		parts, bytes = append(parts, part), bytes+len(part)
	}
	a := New(envelope.ListSize(len(parts), bytes, total), func(dst []byte) ([]byte, error) { return envelope.AppendList(dst, parts, total), nil })
	a.Total = total
	return a, nil
}

// errManyReferrers refuses a list that would need more items than a cluster returns at once.
var errManyReferrers = &query.Error{Code: problem.NotAtCluster, Position: -1,
	Message: fmt.Sprintf("more than %d items may refer to this one, which is too many to ask a cluster for; the release has the list in a file", query.MaxWindow)}

// referrersQuery is the body of a search for the items with a reference that has the id of the route.
func (c *Content) referrersQuery() *query.Body {
	d, reader := c.release.Manifest.ListDefaults(), c.release.Environments[c.route.Env].Fields.Reader
	b := search.FromList(address.List{Page: 1, Size: max(1, reader.Items()), Sort: d.Sort, Asc: d.Asc})
	if len(reader.LeftOut().Exclude) > 0 {
		return b // of all items: the index need not have every reference
	}
	var paths []query.Node
	for _, f := range reader.FieldsBelow(address.DataPrefix) {
		if strings.HasSuffix(f.Path, "."+envelope.RefIDs) {
			paths = append(paths, &compile.KeywordTerm{Field: f.Path, Text: c.route.ID})
		}
	}
	if len(paths) == 0 {
		b.Query = &query.MatchNone{}
		return b
	}
	b.Query = &query.Bool{Filter: []query.Node{&query.Bool{Should: paths, Boost: 1}}, Boost: 1}
	return b
}
