// This file prints the answer of the why command, as lines or as JSON.

package main

import (
	"fmt"
	"time"

	"contentedge/edgeserve/wire/address"
	"contentedge/generator"
	"contentedge/generator/visibility"
)

// whyAnswer is what why knows. VISIBILITY.md has its members.
type whyAnswer struct {
	Environment string    `json:"environment"`
	Items       []whyItem `json:"items"`
	More        int       `json:"more,omitempty"`
	Places      []arrival `json:"places,omitempty"` // of an id that the content does not have
	Diagnostics []finding `json:"diagnostics,omitempty"`

	problems []generator.Diagnostic // Diagnostics, for people
}

type whyItem struct {
	ID        string             `json:"id"`
	Name      string             `json:"name"`
	Template  string             `json:"template"`
	Status    string             `json:"status"`
	File      string             `json:"file"`
	Line      int                `json:"line"`
	Delivered bool               `json:"delivered"`
	Reason    string             `json:"reason,omitempty"`
	At        time.Time          `json:"at"`
	Appears   *time.Time         `json:"appears,omitempty"`
	Ends      *time.Time         `json:"ends,omitempty"`
	HiddenBy  *generator.Origin  `json:"hiddenBy,omitempty"`
	Origins   []generator.Origin `json:"origins,omitempty"`
	Lists     []string           `json:"lists,omitempty"`
	Places    []arrival          `json:"places,omitempty"`

	lines []string // what decides, for people
}

// arrival is what a place says of an item.
type arrival struct {
	Place   string `json:"place"`
	Has     bool   `json:"has"`
	Release string `json:"release,omitempty"`
	Error   string `json:"error,omitempty"`
}

func whyItemOf(env string, e *generator.Explanation, places []arrival) whyItem {
	it := whyItem{ID: e.ID, Name: e.Name, Template: e.Template, Status: e.Status, File: e.File, Line: e.Line, At: e.At.UTC(),
		Delivered: e.Reason == visibility.Shown, Reason: e.Reason.String(), HiddenBy: e.HiddenBy(), Origins: e.Origins, Places: places, lines: e.Lines()}
	if !e.From.IsZero() {
		it.Appears = &e.From
	}
	if !e.Until.IsZero() {
		it.Ends = &e.Until
	}
	for _, query := range e.Lists {
		it.Lists = append(it.Lists, address.Contents.Path(env)+"?"+query)
	}
	return it
}

// String returns the answer for people.
func (a *whyAnswer) String() string {
	t := &table{}
	for i := range a.Items {
		a.Items[i].describe(t)
	}
	if a.More > 0 {
		t.row("and", fmt.Sprintf("%d more items of the file", a.More))
	}
	if len(a.Items) == 0 {
		t.row("content", "has no item of this id, and reads no items from a file of this name")
	}
	t.look(a.Places)
	return t.String()
}

func (it *whyItem) describe(t *table) {
	t.row("item", it.ID+"  "+it.Name)
	t.row("file", fmt.Sprintf("%s:%d", it.File, it.Line))
	t.row("template", generator.ShowStatus(it.Template))
	t.row("status", generator.ShowStatus(it.Status))
	t.titled("build", it.lines)
	t.titled("lists", it.Lists)
	t.look(it.Places)
}

// titled adds a row for each of some lines, the first with a title.
func (t *table) titled(title string, lines []string) {
	for i, line := range lines {
		t.row([]string{title, ""}[min(i, 1)], line)
	}
}

// look adds what each place says of an item.
func (t *table) look(places []arrival) {
	for _, p := range places {
		text := "has it"
		switch {
		case p.Error != "":
			text = "unknown: " + p.Error
		case !p.Has:
			text = "does not have it"
		}
		if p.Release != "" {
			text += ", release " + p.Release
		}
		t.row(p.Place, text)
	}
}
