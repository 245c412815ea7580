// This file has the other sites that TestMarkdownsite imports.

package markdownsite

var otherSystems = []systemTest{
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
		html: map[string][]string{"src/posts/2024-01-31-first.md": {"<p>First x Second</p>"}, "src/index.md": {`<a href="/posts/first/" data-content-id=`}},
		data: map[string][]string{"src/posts/2024-01-31-first.md": {`"tags":["posts"]`, `"tags":"posts"`}},
		said: []string{"data files that are programs are not read", "shout: 1", "1 Markdown files skipped: the site ignores them"},
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
