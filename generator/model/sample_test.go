// This test keeps the sample content fit to be the first thing a reader sees: it
// loads without a word, and what it refers to exists.

package model

import (
	"context"
	"regexp"
	"testing"

	"contentedge/generator/source"
)

func TestSampleContent(t *testing.T) {
	found, err := source.List(context.Background(), "../../content", nil)
	if err != nil {
		t.Fatal(err)
	}
	site, diagnostics, err := Load(context.Background(), found, Options{Strict: true, Sink: func() TextSink { return &kept }})
	if site == nil {
		t.Fatal(said(diagnostics), err)
	}
	reference := regexp.MustCompile(`"ContentIDs":\[([^\]]*)\]`)
	one := regexp.MustCompile(`Content_[^"]*`)
	for _, env := range site.Envs {
		ids := make(map[string]bool)
		statuses := make(map[string]int)
		for _, it := range env.Items {
			ids[it.ContentID] = true
			statuses[it.Status]++
		}
		for _, it := range env.Items {
			for _, list := range reference.FindAllSubmatch(textOf(&it).Raw[fieldData], -1) {
				for _, id := range one.FindAllString(string(list[1]), -1) {
					if !ids[id] {
						t.Errorf("%s:%d: refers to %s, which is not there", it.File.Name, it.Line, id)
					}
				}
			}
		}
		t.Logf("%s: %d items, %v", env.ID, len(env.Items), statuses)
	}
	if len(site.Envs) != 2 || len(site.Envs[1].Items) < 40 {
		t.Errorf("%d environments", len(site.Envs))
	}
}
