// This file has the sites that TestMarkdownsite imports.

package markdownsite

import "testing"

var systemTests = []systemTest{
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
		said: []string{"tags are left out, and what they enclose stays: include: 1", "2 Markdown files skipped: the site ignores them", "files without front matter, which Jekyll copies", "their folder is not a collection", "posts without a date in their names", "1 data files", "1 layouts and components", "not Published"},
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
	{
		name: "Eleventy", system: "eleventy",
		tree: `
-- eleventy.config.js --
export default { dir: { input: "src" } }
-- .eleventyignore --
src/hidden.md
-- src/posts/posts.json --
{"tags": "posts", "layout": "post.njk", "permalink": "/{{ slug }}/"}
-- src/posts/posts.11tydata.js --
module.exports = {}
-- src/posts/2024-01-31-first.md --
---
title: First
---
{{ title }} {% shout %}x{% endshout %} [Second](second.md)
-- src/posts/second.md --
---
permalink: /two/
tags: [x]
draft: true
---
-- src/hidden.md --
x
-- src/_includes/x.njk --
x
-- src/index.md --
[First](/posts/first/)
`,
		items: `
src/index.md: page Published /
src/posts/2024-01-31-first.md: posts Published /posts/first 2024-01-31T00:00:00Z
src/posts/second.md: posts Draft /two
`,
		html: map[string][]string{"src/posts/2024-01-31-first.md": {"<p>x Second</p>"}, "src/index.md": {`<a href="/posts/first/" data-content-id=`}},
		data: map[string][]string{"src/posts/2024-01-31-first.md": {`"tags":["posts"]`, `"tags":"posts"`}},
		said: []string{"data files that are programs are not read", "shout: 1", "{{ }}: 1", "1 Markdown files skipped: the site ignores them"},
	},
	{
		name: "Docusaurus", system: "docusaurus", locales: "environments",
		tree: `
-- docusaurus.config.js --
module.exports = {i18n: {defaultLocale: 'en', locales: ['en', 'fr']}}
-- docs/01-guide/README.md --
# Guide
-- docs/01-guide/02-install.md --
---
title: Install
---
:::note Careful
Read [the guide](./README.md).
:::
-- docs/01-guide/_part.md --
x
-- docs/intro.md --
---
slug: /
title: Intro
---
[install](01-guide/02-install.md) ![x](/img/x.png) ![y](./y.png)
-- docs/y.png --
y
-- static/img/x.png --
x
-- blog/2024-01-31-hello.md --
---
title: Hello
unlisted: true
---
-- i18n/fr/docusaurus-plugin-content-docs/current/01-guide/02-install.md --
# Installer
-- versioned_docs/version-1.0/intro.md --
# Intro 1
-- src/pages/about.md --
# About
`,
		items: `
site-en/blog/2024-01-31-hello.md: blog Private /blog/2024/01/31/hello en 2024-01-31T00:00:00Z
site-en/docs/01-guide/02-install.md: docs Published /docs/guide/install en
site-en/docs/01-guide/README.md: docs Published /docs/guide en
site-en/docs/intro.md: docs Published /docs en
site-en/src/pages/about.md: page Published /about en
site-en/versioned_docs/version-1.0/intro.md: docs Published /docs/1.0/intro en
site-fr/i18n/fr/docusaurus-plugin-content-docs/current/01-guide/02-install.md: docs Published /docs/guide/install fr
`,
		html: map[string][]string{
			"site-en/docs/intro.md":               {`<a href="/docs/guide/install/" data-content-id=`, `/x.png" alt="x"`, `/y.png" alt="y"`},
			"site-en/docs/01-guide/02-install.md": {`<a href="/docs/guide/" data-content-id=`, "Careful"},
		},
		said: []string{"settings skipped: a program", "1 Markdown files skipped: their names"},
	},
	{
		name: "VitePress", system: "vitepress", locales: "de",
		tree: `
-- docs/.vitepress/config.mts --
export default { srcExclude: ['**/README.md'] }
-- docs/index.md --
# Home
-- docs/guide/start.md --
# Start
::: tip
Look at [home](/) and [start](/guide/start).
:::
-- docs/de/index.md --
# Start
-- docs/de/guide/start.md --
# Anfang
[x](/de/) [y](../index.md) ![l](/logo.svg)
-- docs/guide/README.md --
x
-- docs/public/logo.svg --
<svg/>
`,
		items: `
docs/de/guide/start.md: guide Published /guide/start de
docs/de/index.md: page Published / de
`,
		html: map[string][]string{"docs/de/guide/start.md": {`<a href="/" data-content-id=`, `<a href="/" data-content-id=`, `/logo.svg" alt="l"`}},
		said: []string{"2 Markdown files skipped: in another language", "1 Markdown files skipped: the site ignores them"},
	},
	{
		name: "MkDocs", system: "mkdocs",
		tree: `
-- mkdocs.yml --
site_name: x
exclude_docs: |
  drafts/
  /api.md
  !drafts/keep.md
markdown_extensions:
  - pymdownx.emoji: {emoji_index: !!python/name:material.extensions.emoji.twemoji }
-- docs/README.md --
# Home
-- docs/guide/setup.md --
!!! warning "Mind *this*"
    First, see [home](../README.md).

    ` + "```" + `
    code
    ` + "```" + `

After. ![x](../img/x.png)

=== "Linux"

    apt
-- docs/img/x.png --
x
-- docs/drafts/a.md --
x
-- docs/api.md --
x
`,
		items: `
docs/README.md: page Published /
docs/guide/setup.md: guide Published /guide/setup
`,
		html: map[string][]string{"docs/guide/setup.md": {`<div class="markdown-alert markdown-alert-warning">`, `<a href="/" data-content-id=`, "<pre><code>code\n", "<p>After. <img", "<strong>Linux</strong>", "<p>apt</p>"}},
	},
	{
		name: "Astro", system: "astro",
		tree: `
-- astro.config.mjs --
export default {}
-- src/content/blog/first.md --
---
title: First
pubDate: 2024-01-31
heroImage: ../../assets/hero.jpg
---
[Second](./second.mdx) ![p](/p.png)
-- src/content/blog/second.mdx --
---
title: Second
---
x
-- src/content/blog/_draft.md --
x
-- src/assets/hero.jpg --
hero
-- public/p.png --
p
-- src/pages/about.md --
# About
-- src/components/A.astro --
x
`,
		items: `
src/content/blog/first.md: blog Published /blog/first 2024-01-31T00:00:00Z
src/content/blog/second.mdx: blog Published /blog/second
src/pages/about.md: page Published /about
`,
		html: map[string][]string{"src/content/blog/first.md": {`<a href="/blog/second/" data-content-id=`, `/p.png" alt="p"`}},
		data: map[string][]string{"src/content/blog/first.md": {`"heroImage":"/cda/media/site/`}},
	},
	{
		name: "Obsidian", system: "obsidian",
		tree: `
-- .obsidian/templates.json --
{"folder": "Templates"}
-- .trash/x.md --
x
-- Notes/One.md --
---
tags: a, b
---
[[Two]] [[Two#Some Heading|there]] ![[photo.png|300]] ![[Sub/Three]] [[gone]] %%secret%% [[#Here]] ` + "`[[Two]]`" + `
%%
hidden
%%
> [!info] Title
> text
-- Notes/Two.md --
---
publish: true
---
# Other
-- Sub/Three.md --
---
publish: false
---
-- Files/deep/photo.png --
photo
-- Templates/t.md --
{{date}}
`,
		items: `
Notes/One.md: Notes Published /Notes/One
Notes/Two.md: Notes Published /Notes/Two
Sub/Three.md: Sub Draft /Sub/Three
`,
		html: map[string][]string{"Notes/One.md": {`<a href="/Notes/Two/" data-content-id=`, `<a href="/Notes/Two/#some-heading" data-content-id=`, `/photo.png" alt=""`, ` Three gone  <a href="#here">`, `<code>[[Two]]</code>`}},
		data: map[string][]string{"Notes/One.md": {`"tags":["a","b"]`}},
		said: []string{"links to pages that do not exist: 1", "not Published are left out, and their texts stay: 1", "1 Markdown files skipped: the site ignores them"},
	},
	{
		name: "a tree", system: "tree",
		tree: `
-- a.md --
# A
[b](sub/b.md) ![x](sub/x.png)
-- sub/b.md --
# B
-- sub/x.png --
x
-- node_modules/x/README.md --
x
`,
		items: `
a.md: page Published /a
sub/b.md: sub Published /sub/b
`,
		html: map[string][]string{"a.md": {`<a href="/sub/b/" data-content-id=`, `/x.png" alt="x"`}},
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
