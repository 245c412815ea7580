package generator_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"contentedge/generator"
	"contentedge/generator/visibility"
)

// content is a content directory of one environment, news.
func content() (dir string, remove func()) {
	dir, err := os.MkdirTemp("", "content")
	if err != nil {
		log.Fatal(err)
	}
	files := map[string]string{
		"news/tide.json": `{"ContentID":"tide","Name":"High tide","TemplateName":"Article","Status":"Published","CreatedAt":"2026-05-01T08:00:00Z","Data":{"title":"High tide at noon"}}`,
		"news/rope.json": `{"ContentID":"rope","Name":"Rope","TemplateName":"Article","Status":"Draft","CreatedAt":"2026-05-02T08:00:00Z","Data":{"title":"How to splice a rope"}}`,
		"news/wind.json": `{"ContentID":"wind","Name":"Wind","TemplateName":"Article","Status":"Published","CreatedAt":"2026-05-03T08:00:00Z","Data":{"title":"A strong breeze"}}`,
	}
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			log.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			log.Fatal(err)
		}
	}
	return dir, func() { os.RemoveAll(dir) }
}

// A build delivers what is published, and says what it leaves out. The second build of the same content writes nothing.
func ExampleBuild() {
	dir, remove := content()
	defer remove()
	config := generator.BuildConfig{Content: dir, Out: filepath.Join(dir, "..", filepath.Base(dir)+"-public")}
	defer os.RemoveAll(config.Out)
	for range 2 {
		report, err := generator.Build(context.Background(), config)
		if err != nil {
			log.Fatal(err)
		}
		for _, env := range report.Environments {
			fmt.Println(env.ID, env.Items, "items, unchanged:", report.Unchanged)
		}
	}
	// Output:
	// news 2 items, unchanged: false
	// news 2 items, unchanged: true
}

// A plan says what a build would write.
func ExamplePlan() {
	dir, remove := content()
	defer remove()
	report, err := generator.Plan(context.Background(), generator.BuildConfig{Content: dir})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.ItemFiles, "files of items")
	// Output:
	// 2 files of items
}

// An explanation says where an item comes from, and why readers do not see it.
func ExampleExplain() {
	dir, remove := content()
	defer remove()
	explained, err := generator.Explain(context.Background(), generator.BuildConfig{Content: dir}, generator.View{}, "news", "rope")
	if err != nil {
		log.Fatal(err)
	}
	for _, item := range explained.Items {
		fmt.Println(filepath.Base(item.File), item.Status, item.Reason == visibility.OtherStatus, len(item.Lists), "lists")
	}
	// Output:
	// rope.json Draft true 0 lists
}

// A session builds again after each change, and takes from the build before what did not change.
func ExampleSession() {
	dir, remove := content()
	defer remove()
	session, err := generator.NewSession(generator.BuildConfig{Content: dir, Out: dir + "-preview"})
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir + "-preview")
	for _, title := range []string{"Rope", "Two ropes"} { // the first one publishes a draft
		text := `{"ContentID":"rope","Name":"Rope","TemplateName":"Article","Status":"Published","CreatedAt":"2026-05-02T08:00:00Z","Data":{"title":"` + title + `"}}`
		if err := os.WriteFile(filepath.Join(dir, "news", "rope.json"), []byte(text), 0o644); err != nil {
			log.Fatal(err)
		}
		if _, err := session.Build(context.Background(), generator.View{}); err != nil {
			log.Fatal(err)
		}
		for _, env := range session.Changes().Environments {
			for _, item := range env.Items {
				fmt.Println(env.ID, item.ID, item.Change)
			}
		}
	}
	// Output:
	// news rope changed
}
