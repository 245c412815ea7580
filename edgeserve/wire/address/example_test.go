package address_test

import (
	"fmt"
	"log"

	"contentedge/edgeserve/wire/address"
)

// A path has a kind, an environment and perhaps an id.
func ExampleParsePath() {
	route, ok := address.ParsePath("/cda/rest/v1/site/contents/Content_1")
	fmt.Println(ok, route.Kind == address.Item, route.Env, route.ID)
	_, ok = address.ParsePath("/cda/rest/v1/site/content")
	fmt.Println(ok, address.Nearest("/cda/rest/v1/site/content"))
	// Output:
	// true true site Content_1
	// false /cda/rest/v1/site/contents
}

// A list with the same meaning has the same file, whatever the order of its parameters and which defaults it names.
func ExampleList_File() {
	for _, query := range []string{"page=2&searchByTemplateName=Page", "searchByTemplateName=Page&pageSize=10&page=2"} {
		list, err := address.ParseList(query, address.Standard)
		if err != nil {
			log.Fatal(err)
		}
		file, _ := list.File("site")
		fmt.Println(file)
	}
	// Output:
	// cda/rest/v1/site/contents-list/template-_page/sort-createdat-desc-10/page-2.json
	// cda/rest/v1/site/contents-list/template-_page/sort-createdat-desc-10/page-2.json
}

// An error says which value a parameter may have.
func ExampleParseList() {
	_, err := address.ParseList("page=0", address.Standard)
	fmt.Println(err)
	// Output:
	// page must be an integer from 1, not "0"
}

func ExampleItemFile() {
	fmt.Println(address.ItemFile("site", "Content_1"))
	// Output:
	// cda/rest/v1/site/contents/Content_1.json
}
