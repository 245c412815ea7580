package answer

import (
	"errors"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/address"
)

// The parameters that trackers, caches and pages add to addresses.
const added = "utm_source utm_medium utm_campaign utm_term utm_content utm_id fbclid gclid dclid msclkid twclid yclid _ga _gl mc_cid mc_eid gad_source srsltid " +
	"igshid spm ref cb _ v t ts rnd nocache callback lang locale version preview token key api_key access_token format id code state hash debug trk theme amp view tab x é"

// TestUnknownParameters sends names that lists and searches do not have. "" means that the name is ignored.
func TestUnknownParameters(t *testing.T) {
	all := map[string]string{
		"q": "a POST of a search, with q or a query in the body of a search", "SEARCH": "a POST of a search, with q or a query in the body of a search",
		"limit": "pageSize", "size": "pageSize", "per_page": "pageSize", "perPage": "pageSize", "page_size": "pageSize", "page[size]": "pageSize", "pagesize": "pageSize",
		"pageSiz": "pageSize", "pageZiSe": "pageSize", "PAGESIZE": "pageSize", "offset": "page, which counts pages from 1", "skip": "page, which counts pages from 1",
		"from": "page, which counts pages from 1", "$skip": "page, which counts pages from 1", "page[number]": "page, which counts pages from 1", "pgae": "page", "Page": "page", "pages": "page",
		"filter": listNames, "filters[slug][$eq]": listNames, "slug": "Data.slug", "order": "sort and sortAsc", "sortBy": "sort and sortAsc", "order_by": "sort and sortAsc",
		"sort_asc": "sortAsc", "SortAsk": "sortAsc", "sortDesc": "sortAsc", "sortBackwards": "", "fields": "select", "fields[article]": "select", "populate": "include", "includes": "include",
		"Name": "searchByName", "templateName": "searchByTemplateName", "CreatedBy": "searchByCreatedBy", "Status": "status", "statsu": "status", "staus": "status",
		"ContentID": "the id in the path, after a slash", "TemplateID": "a search, which has it", "UpdatedAt": "a range of the field in the body of a search",
		"searchbyname": "searchByName", "searchByNaem": "searchByName", "searchBy": "", "data.slug": "Data.<path>", "Dat.slug": "", "Deta.slug": "Data.<path>", "data[slug]": "Data.<path>", "Data": "Data.<path>",
		"pag[]": "", "[size]": "pageSize", "a.page": "", "": "", "%zz": "", "%ff": "", "%70ages": "page", "s%69ze": "pageSize", "pa+ge": "page",
		strings.Repeat("q", 300): "", strings.Repeat("page", 100): "", "ſort": "sort", "p\u0430ge": "page",
	}
	searches := map[string]string{
		"limit": "size", "offset": "from", "skip": "from", "form": "from", "per_page": "size", "query": "q", "search": "q", "filter": "a field, Data.<path> or a query in the body of a search",
		"slug": "Data.slug", "order": "Sort", "sort_by": "Sort", "select": "_source", "searchByTemplateName": "TemplateName", "SEARCHBYNAME": "Name", "updatedAt": "a range of the field in the body",
		"Nmae": "Name", "nam": "", "Statuss": "Status", "templatname": "TemplateName", "pages": "Page", "page-size": "PageSize", "date": "Data.<path>", "Deta.slug": "Data.<path>", "qq": "", "dg": "", "track_total_hits": "",
		"default_operater": "default_operator", "_sorce": "_source",
	}
	for name := range strings.FieldsSeq(added) {
		all[name], searches[name] = "", ""
	}
	check := func(names map[string]string, of string, send func(query string, strict bool) error) {
		for name, write := range names {
			for _, strict := range []bool{false, true} {
				err := send("a=1&"+name+"=x", strict)
				e, refused := errors.AsType[*address.Error](err)
				if want := of + ": write " + write; write != "" && !strict && (!refused || e.Code != "unknown_parameter" || e.Message != want || e.Parameter == "") {
					t.Errorf("%q: %v, want %s", name, err, want)
				}
				if refused != (strict || write != "") {
					t.Errorf("%q, strict %t: %v", name, strict, err)
				}
				if refused && len(e.Message)+len(e.Parameter) > 500 {
					t.Errorf("%q has an error of %d bytes", name, len(e.Message))
				}
			}
		}
	}
	check(all, inList, checkListParameters)
	check(searches, inSearch, func(query string, strict bool) error { _, err := parseSearchParams(query, strict); return err })
}

// Every name of a parameter is known where it belongs, and is refused where it would be ignored though it means something.
func TestParametersOfTheOtherKind(t *testing.T) {
	for _, p := range address.Parameters(address.Contents) {
		if err := checkListParameters(p.Name+"=x", true); err != nil {
			t.Errorf("lists refuse %s: %v", p.Name, err)
		}
		if p.Name == address.ParamInclude || p.Below {
			continue // searches ignore the first, and have paths, too
		}
		if _, err := parseSearchParams(p.Name+"=x", false); err == nil && !IsSearchParameter(p.Name) {
			t.Errorf("searches ignore %s", p.Name)
		}
	}
	for _, name := range []string{address.FieldName, address.FieldTemplateName, address.FieldStatus, address.FieldCreatedBy, address.FieldPublishedBy, address.FieldUpdatedBy,
		address.FieldContentID, address.FieldTemplateID, address.FieldCreatedAt, address.FieldUpdatedAt, address.FieldPublishedAt, address.FieldData} {
		if checkListParameters(name+"=x", false) == nil {
			t.Errorf("lists ignore %s", name)
		}
	}
}

func FuzzUnknownParameters(f *testing.F) {
	f.Add("utm_source=x&pageSize=2&filter[a]=b")
	f.Add("%zz&&=&p%61ges=1")
	f.Fuzz(func(t *testing.T, query string) {
		loose, strict := checkListParameters(query, false), checkListParameters(query, true)
		if loose != nil && strict == nil {
			t.Errorf("%q: strict takes what is else refused: %v", query, loose)
		}
	})
}

func BenchmarkUnknownParameters(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if err := checkListParameters("page=2&utm_source=newsletter&utm_medium=email&fbclid=IwAR0000000000000000", false); err != nil {
			b.Fatal(err)
		}
	}
}
