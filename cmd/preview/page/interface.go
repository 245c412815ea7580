// This file writes interface.js: the names and limits of the interface, for the scripts of the page.

package page

import (
	"encoding/json"
	"fmt"

	"contentedge/edgeserve/wire/address"
	codes "contentedge/edgeserve/wire/problem"
)

// interfaceName is the script's name among the embedded files.
const interfaceName = "interface.js"

// interfaceScript is a module that exports the tables of packages address and problem.
func interfaceScript() []byte {
	b := []byte("// What the page knows of the interface. The preview writes this file from its own tables.\n")
	for _, constant := range []struct {
		name  string
		value any
	}{
		{"routes", map[string]string{
			"list": address.Contents.Path("ENV"), "item": address.Item.Path("ENV", "ID"), "search": address.Search.Path("ENV"),
		}},
		{"parameter", map[string]string{
			"name": address.ParamName, "template": address.ParamTemplate, "status": address.ParamStatus, "createdBy": address.ParamCreatedBy,
			"page": address.ParamPage, "size": address.ParamPageSize, "sort": address.ParamSort, "ascending": address.ParamSortAsc,
		}},
		{"field", fieldNames()},
		{"standard", map[string]any{"sort": address.Standard.Sort, "size": address.Standard.Size}},
		{"limit", map[string]int{"size": address.MaxSize}},
		{"code", map[string]string{"badQueryString": codes.BadQueryString}},
	} {
		text, err := json.Marshal(constant.value)
		if err != nil {
			panic(err) // the tables are texts and numbers
		}
		b = fmt.Appendf(b, "export const %s = %s;\n", constant.name, text)
	}
	return b
}

// fieldNames has each name of a top-level field twice, so that a script spells it as a member.
func fieldNames() map[string]string {
	names := map[string]string{}
	for _, name := range address.Fields {
		names[name] = name
	}
	return names
}
