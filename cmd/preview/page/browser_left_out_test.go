// This file tests what the page says of paths that searches do not see.

package page_test

import "testing"

func testLeftOut(t *testing.T, s *suite) {
	p := s.preview(t, map[string]string{
		"site/a.json":            item(1, "A", "Page", object{"title": "x", "body": object{"text": "bread", "title": "y"}}),
		"site/_environment.yaml": "search: {exclude: [Data.body], include: [Data.body.title]}",
		"shop/b.json":            item(2, "B", "Page", object{"title": "x"}),
	})
	b := s.open(t, p.base)
	b.visit("/site/fields")
	b.same(".left-out code", "Data.body", "Data.body.title")
	b.says(".left-out", "except")
	b.gone(`a[href*="Data.body.text"]`)
	b.visit("/site/fields?path=Data.body.text")
	b.says(".field-detail", "Data.body.text is left out of the search")
	b.visit("/site/fields?path=Data.bodi")
	b.says(".field-detail", "No item has Data.bodi")
	b.visit("/site/search?body=" + `%7B%22query%22%3A%7B%22match%22%3A%7B%22Data.body.text%22%3A%22bread%22%7D%7D%7D`)
	b.says(".hints", "Data.body.text is left out of the search, with all of Data.body: see search in _environment.yaml.")
	b.visit("/site/items/" + id(1))
	b.wait("the item's value", rowOf("Data.body.text")+`.innerText.includes("bread")`)
	b.visit("/site/items?sort=Data.body.text")
	b.says(".problem", "cannot order items")
	b.visit("/shop/fields")
	b.says("h1", "Fields")
	b.gone(".left-out")
	p.save("site/_environment.yaml", "search: {exclude: [Data.body.text]}")
	b.visit("/site/fields")
	b.same(".left-out code", "Data.body.text")
}
