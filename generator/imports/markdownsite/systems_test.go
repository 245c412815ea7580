// This file has the sites that TestMarkdownsite imports: those of Hugo, Jekyll and Hexo.

package markdownsite

import (
	"slices"
	"testing"
)

var systemTests = slices.Concat(blogSystems, otherSystems)

var blogSystems = []systemTest{
	{
		name: "Hugo", system: "hugo",
		tree: `
-- hugo.toml --
baseURL = "https://example.org/blog/"
permalinks = {posts = "/:sections/:slugorfilename/"}
ignoreFiles = ["\\.skip\\.md$"]
-- content/_index.md --
---
title: Home
cascade: {color: red, draft: false}
---
[A](posts/a.md) [B](/posts/bee/) [C]({{< ref "c.md" >}}) [gone](gone.md) [gone too]({{< relref "nowhere.md" >}}) [other](https://x.example/a.md)
-- content/posts/_index.md --
---
title: Posts
cascade:
  - {target: {path: "/posts/b/**"}, shade: dark}
  - {target: {kind: page, lang: en}, unknown: 1}
---
-- content/posts/a.md --
+++
title = "A"
date = 2024-01-02T10:00:00+02:00
tags = ["x", "y"]
+++
![cat](cat.png) {{< figure src="/img/dog.png" alt="Dog" >}} ![bird](../bird.png) {{< custom "a" >}}inside{{< /custom >}} ![none](none.png)
-- content/posts/cat.png --
cat
-- content/posts/bird.png --
bird
-- static/img/dog.png --
dog
-- static/img/unused.png --
unused
-- content/posts/b/index.md --
---
title: B
date: 2024-02-03
slug: bee
cover: {image: photo.jpg}
---
[A](../a.md#top)
-- content/posts/b/photo.jpg --
photo
-- content/posts/b/part.md --
a resource
-- content/docs/c.md --
---
title: C
url: /see/
draft: true
---
-- content/docs/Some Page.md --
---
title: D
date: 2099-01-01
expiryDate: 2100-01-01
type: guide
aliases: [/old/d/]
---
[self](/blog/old/d/) [C](c.md)
-- content/docs/x.skip.md --
ignored
-- content/about.html --
<p>
-- layouts/x.html --
-- data/x.json --
{}
`,
		items: `
content/_index.md: page Published /
content/docs/Some Page.md: guide Published /docs/some-page 2099-01-01T00:00:00Z
content/docs/c.md: docs Draft /see
content/posts/_index.md: posts Published /posts
content/posts/a.md: posts Published /posts/a 2024-01-02T08:00:00Z
content/posts/b/index.md: posts Published /posts/bee 2024-02-03T00:00:00Z
`,
		html: map[string][]string{
			"content/_index.md":         {`<a href="/posts/a/" data-content-id="Content_`, `<a href="/posts/bee/" data-content-id="Content_`, ` C <a href="gone.md">gone</a> <a href="nowhere.md">`, `<a href="https://x.example/a.md">other</a>`},
			"content/posts/a.md":        {`<img src="/cda/media/site/`, `/cat.png" alt="cat"`, `/dog.png" alt="Dog"`, `/bird.png" alt="bird"`, ` inside <img src="none.png"`},
			"content/posts/b/index.md":  {`<a href="/posts/a/#top"`},
			"content/docs/Some Page.md": {`<a href="/docs/some-page/"`, `</a> C</p>`},
		},
		data: map[string][]string{
			"content/posts/b/index.md": {`"cover":{"image":"/cda/media/site/`},
			"content/posts/a.md":       {`"color":"red"`},
			"content/_index.md":        {`"links":{"Type":"Reference","ReferenceType":"Content","ContentIDs":["Content_`},
		},
		said: []string{
			"1 Markdown files skipped: the site ignores them", "1 Markdown files skipped: they are parts of a page bundle", "1 layouts and components skipped", "1 data files skipped",
			"1 pages in other formats skipped", "4 media merged: files that items name", "1 media skipped: no page names them",
			"links to pages that do not exist: 3", "links to pages that are not Published are left out, and their texts stay: 2", "tags are left out, and what they enclose stays: custom: 1",
			"images and other files that do not exist: 1", "values of cascade for some pages only",
		},
	},
	{
		name: "Hugo in languages, as environments", system: "hugo", locales: "environments",
		tree: `
-- hugo.yaml --
defaultContentLanguage: en
languages: {en: {}, de: {}}
-- config/_default/languages.ja.toml --
contentDir = "content/ja-pages"
-- content/_index.md --
[A](a.md) [B](b.md)
-- content/_index.de.md --
[A](a.md) [B](b.md)
-- content/a.md --
# A
-- content/a.de.md --
# A (de)
-- content/b.md --
# B
-- content/ja-pages/a.md --
# A (ja)
`,
		items: `
site-de/content/_index.de.md: page Published / de
site-de/content/a.de.md: page Published /a de
site-en/content/_index.md: page Published / en
site-en/content/a.md: page Published /a en
site-en/content/b.md: page Published /b en
site-ja/content/ja-pages/a.md: page Published /a ja
`,
		html: map[string][]string{"site-de/content/_index.de.md": {`<a href="/a/" data-content-id="Content_`, ` <a href="b.md">B</a>`}},
		said: []string{"links to pages that do not exist: 1"},
	},
	{
		name: "Hugo in languages, as members", system: "hugo", locales: "member",
		tree: `
-- hugo.yaml --
languages: {en: {}, ja: {}}
-- content/a.md --
---
title: A
date: 2024-01-02
---
-- content/a.ja.md --
---
title: J
date: 2024-03-02
expiryDate: 2030-01-01
---
-- content/b.md --
---
title: B
---
-- content/b.ja.md --
---
title: Secret
draft: true
---
`,
		items: `
content/a.md: page Published /a 2024-01-02T00:00:00Z
content/b.md: page Published /b
`,
		data: map[string][]string{"content/a.md": {`{"title":{"en":"A","ja":"J"}`}, "content/b.md": {`{"title":{"en":"B"},`}},
		said: []string{"1 Markdown files merged: translations of an item", "1 Markdown files skipped: a translation of another status"},
	},
	{
		name: "Jekyll", system: "jekyll",
		tree: `
-- _config.yml --
exclude: [secret, "*.tmp.md"]
collections: {recipes: {output: true}}
timezone: Europe/Berlin
defaults:
  - {scope: {path: ""}, values: {color: red}}
  - {scope: {path: "", type: posts}, values: {color: blue}}
  - {scope: {path: about.md}, values: {published: false}}
-- cat/_posts/2024-01-31-hello-world.md --
---
title: Hello
tags: a b
---
![x]({{ site.baseurl }}/img/x.png) {% include note.html %} [About]({{ "/about/" | relative_url }}) [W]({% post_url 2024-02-01-world %})
{% highlight ruby %}
puts 1
{% endhighlight %}
-- _posts/2024-02-01-world.markdown --
---
date: 2024-02-01 10:00:00
categories: one two
---
-- _posts/undated.md --
---
---
-- _drafts/idea.md --
---
---
-- _recipes/cake.md --
---
title: Cake
---
-- _other/x.md --
---
---
-- about.md --
---
title: About
---
-- index.md --
---
title: Home
---
-- README.md --
no front matter
-- secret/a.md --
---
---
-- a.tmp.md --
---
---
-- img/x.png --
x
-- index.html --
-- Gemfile --
-- blog/index.html --
-- _data/x.yml --
a: 1
-- _layouts/post.html --
`,
		items: `
_drafts/idea.md: post Draft /idea
_posts/2024-02-01-world.markdown: post Published /one/two/2024/02/01/world 2024-02-01T09:00:00Z
_recipes/cake.md: recipes Published /recipes/cake
about.md: page Draft /about
cat/_posts/2024-01-31-hello-world.md: post Published /cat/2024/01/31/hello-world 2024-01-30T23:00:00Z
index.md: page Published /
`,
		html: map[string][]string{"cat/_posts/2024-01-31-hello-world.md": {`/x.png" alt="x">  About <a href="/one/two/2024/02/01/world/" data-content-id=`, `<pre><code class="language-ruby">puts 1`}},
		data: map[string][]string{"cat/_posts/2024-01-31-hello-world.md": {`"tags":["a","b"],"categories":["cat"],"color":"blue"`}, "_recipes/cake.md": {`"color":"red"`}},
		said: []string{"tags are left out, and what they enclose stays: include: 1", "2 Markdown files skipped: the site ignores them", "files without front matter, which Jekyll copies", "their folder is not a collection", "posts without a date in their names", "1 data files", "2 pages in other formats skipped", "1 layouts and components", "not Published"},
	},
	{
		name: "Hexo", system: "hexo",
		tree: `
-- _config.yml --
permalink: :year/:month/:title/
-- source/_posts/hello.md --
---
title: Hello
date: 2024-01-31 10:00:00
tags: a b
---
{% asset_img cat.png A cat %} {% post_link world "The world" %}
-- source/_posts/hello/cat.png --
cat
-- source/_posts/world.md --
---
date: 2024-02-01
---
-- source/_drafts/idea.md --
---
title: Idea
---
-- source/about/index.md --
---
title: About
---
![x](/img/x.png)
-- source/img/x.png --
x
-- source/_data/x.md --
x
`,
		items: `
source/_drafts/idea.md: post Draft /idea
source/_posts/hello.md: post Published /2024/01/hello 2024-01-31T10:00:00Z
source/_posts/world.md: post Published /2024/02/world 2024-02-01T00:00:00Z
source/about/index.md: page Published /about
`,
		html: map[string][]string{"source/_posts/hello.md": {`/cat.png" alt="A cat" title="A cat"> <a href="/2024/02/world/" data-content-id=`}, "source/about/index.md": {`/x.png" alt="x"`}},
		data: map[string][]string{"source/_posts/hello.md": {`"tags":["a b"]`}},
	},
}

// TestHugoAddress compares addresses with those of Hugo 0.168.
func TestHugoAddress(t *testing.T) {
	for name, want := range map[string]string{
		"posts/C++ & C#": "posts/c++--c#", "posts/a--b - c": "posts/a--b---c", "posts/What is, this (really)?": "posts/what-is-this-really",
		"ünï/Straße": "ünï/straße", "a.b/v1.2": "a.b/v1.2", "posts/Big Name_x": "posts/big-name_x",
	} {
		if got := hugoAddress(name); got != want {
			t.Errorf("%q is at %q, want %q", name, got, want)
		}
	}
}
