// This file selects the items that are visible, and warns about odd statuses.

package model

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"contentedge/edgeserve/engine/pattern"
	"contentedge/generator/source/documents"
	"contentedge/generator/visibility"
)

const (
	maxMisspelt    = 10 // statuses that are named; further ones are counted
	commonStatuses = 32 // the most frequent statuses, with which the others are compared
	// maxStatuses bounds the check for misspellings: more statuses are free text.
	maxStatuses = 1000
)

type statusUse struct {
	status string
	count  int
	first  *Item // nil: it is in an environment that was not read
	unread bool  // items of environments that were not read have it
}

func (l *loader) selectDelivered(site *Site) []Diagnostic {
	used := l.statusesOf(site)
	diagnostics := append(l.misspelt(used), unknownStatuses(l.opts.Rules.Statuses, used)...)
	for i := range site.Envs {
		env := &site.Envs[i]
		if env.carried != nil {
			continue
		}
		env.Hidden = Hidden{Statuses: map[string]int{}, Interval: visibility.Open()}
		env.Items = slices.DeleteFunc(env.Items, func(it Item) bool { return l.leavesOut(env, &it) })
		env.Delivered = make(map[string]int)
		for j := range env.Items {
			env.Delivered[env.Items[j].Status]++
		}
	}
	return diagnostics
}

// leavesOut reports whether an item is left out, and counts it.
func (l *loader) leavesOut(env *Env, it *Item) bool {
	at := l.opts.At.UnixMilli()
	env.Hidden.Interval.Note(&l.opts.Rules, it.Visibility(), at)
	reason := l.opts.Rules.Judge(it.Visibility(), at)
	switch reason {
	case visibility.Shown:
		return false
	case visibility.OtherStatus:
		env.Hidden.Statuses[it.Status]++
	case visibility.NotYetVisible:
		env.Hidden.Scheduled++
	case visibility.NoLongerShown:
		env.Hidden.Expired++
	}
	if reason != visibility.OtherStatus || visibility.NotPublic(it.Status) {
		env.Hidden.Withdrawn = append(env.Hidden.Withdrawn, it.ContentID)
	}
	return true
}

// statusesOf counts each environment's items by status. It returns all statuses, see byUse.
func (l *loader) statusesOf(site *Site) []*statusUse {
	all := make(map[string]*statusUse)
	for i := range site.Envs {
		env := &site.Envs[i]
		if env.carried != nil {
			for status, n := range env.Statuses {
				if all[status] == nil {
					all[status] = &statusUse{status: status}
				}
				all[status].count += n
				all[status].unread = true
			}
			continue
		}
		env.Statuses = make(map[string]int)
		for j := range env.Items {
			it := &env.Items[j]
			env.Statuses[it.Status]++
			if all[it.Status] == nil {
				all[it.Status] = &statusUse{status: it.Status}
			}
			all[it.Status].first = cmp.Or(all[it.Status].first, it)
			all[it.Status].count++
		}
	}
	return slices.SortedFunc(maps.Values(all), byUse)
}

func byUse(a, b *statusUse) int {
	switch visibility.Published {
	case a.status:
		return -1
	case b.status:
		return 1
	}
	return cmp.Or(cmp.Compare(b.count, a.count), strings.Compare(a.status, b.status))
}

// misspelt warns about statuses that look like a misspelt more frequent one.
func (l *loader) misspelt(used []*statusUse) []Diagnostic {
	if len(used) > maxStatuses {
		return nil
	}
	var diagnostics []Diagnostic
	rest := 0
	for i, u := range used {
		common := used[:min(i, commonStatuses)]
		at := slices.IndexFunc(common, func(c *statusUse) bool {
			return (c.count > u.count || c.status == visibility.Published) && near(c.status, u.status)
		})
		if at >= 0 {
			if l.misspeltStatuses == nil {
				l.misspeltStatuses = map[string]bool{}
			}
			l.misspeltStatuses[u.status], l.unknown = true, l.unknown || u.unread
		}
		switch {
		case at < 0 || u.unread:
		case len(diagnostics) == maxMisspelt:
			rest++
		default:
			d := l.warningAt(u.first, fmt.Sprintf("the Status %s is nearly %s", documents.Quoted(u.status), documents.Quoted(common[at].status)))
			d.Hint = "did you mean " + documents.Quoted(common[at].status) + "?"
			diagnostics = append(diagnostics, summarize(d, u.count, "%d items have the Status "+verbatim(documents.Quoted(u.status))+", which is nearly "+verbatim(documents.Quoted(common[at].status))))
		}
	}
	if rest > 0 {
		diagnostics = append(diagnostics, Diagnostic{Message: fmt.Sprintf("and %d more such statuses", rest), Warning: true})
	}
	return diagnostics
}

func unknownStatuses(wanted []string, used []*statusUse) []Diagnostic {
	var diagnostics []Diagnostic
	for _, status := range wanted {
		if status != visibility.AllStatuses && !slices.ContainsFunc(used, func(u *statusUse) bool { return u.status == status }) {
			diagnostics = append(diagnostics, Diagnostic{Message: "no item has the status " + documents.Quoted(status), Hint: known(status, used), Warning: true})
		}
	}
	return diagnostics
}

// known lists the statuses of items, and the one that was probably meant.
func known(status string, used []*statusUse) string {
	if len(used) == 0 {
		return "the content has no items at all"
	}
	hint := ""
	if i := slices.IndexFunc(used, func(u *statusUse) bool { return near(u.status, status) }); i >= 0 {
		hint = "did you mean " + documents.Quoted(used[i].status) + "? "
	}
	var names []string
	for _, u := range used[:min(len(used), 10)] {
		names = append(names, documents.Quoted(u.status))
	}
	slices.Sort(names)
	return hint + "the statuses of the content are " + strings.Join(names, ", ")
}

func (l *loader) warningAt(it *Item, message string) Diagnostic {
	d := l.placeOf(it)
	d.Message, d.Warning = message, true
	return d
}

func verbatim(s string) string { return strings.ReplaceAll(s, "%", "%%") }

const (
	maxEdits = 2 // letters by which a misspelt word differs
	// lettersPerEdit is how many letters of a word justify an edit: short words differ by more.
	lettersPerEdit = 3
	maxNear        = 64 // letters of the longest word compared
)

// near reports whether a word may misspell the other: another case, white space, or a letter or two left out, added,
// changed or swapped. A prefix ("Unpublished") or another number is not a mistake.
func near(a, b string) bool {
	a, b = strings.TrimSpace(a), strings.TrimSpace(b)
	if strings.EqualFold(a, b) {
		return true
	}
	if len(a) > maxNear || len(b) > maxNear || numbers(a) != numbers(b) || prefixed(a, b) || prefixed(b, a) {
		return false
	}
	allowed := min(maxEdits, min(utf8.RuneCountInString(a), utf8.RuneCountInString(b))/lettersPerEdit)
	return pattern.CompileFuzzy(strings.ToLower(a), allowed, 0).Match([]byte(strings.ToLower(b)))
}

func numbers(s string) string {
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return r
		}
		return -1
	}, s)
}

// prefixed reports whether long is short with a prefix of two letters or more.
func prefixed(long, short string) bool {
	return len(long) >= len(short)+2 && strings.EqualFold(long[len(long)-len(short):], short)
}
