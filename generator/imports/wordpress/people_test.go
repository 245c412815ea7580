package wordpress

import (
	"strings"
	"testing"

	"contentedge/generator/imports"
	"contentedge/generator/imports/importstest"
)

// TestPeople: types of posts with people's data are left out by their names, also where no word of the name says so.
func TestPeople(t *testing.T) {
	kinds := []string{
		"feedback", "flamingo_contact", "flamingo_inbound", "flamingo_outbound", "nf_sub", "wpforms_entry", "user_request", "shop_order", "shop_order_refund", "shop_order_placehold",
		"shop_subscription", "edd_payment", "give_payment", "tribe_rsvp_attendees", "tribe_tpp_attendees",
	}
	posts := []string{item("1", "recipe", "publish"), item("2", "contact-page", "publish"), item("3", "attachment", "inherit")}
	for _, kind := range kinds {
		posts = append(posts, item("1", kind, "publish", meta(thumbnail, "3"), "<content:encoded>of "+kind+"</content:encoded>"))
	}
	r := run(t, Options{}, wxrOf(posts...)).OK()
	for _, kind := range kinds {
		r.Count(kind, "people's data: "+kind, 1)
		r.Lacks("of " + kind)
	}
	r.Named("recipe 1")
	r.Named("contact-page 2")
	r.Count("attachment", "no post shows it", 1)
	named := importstest.Try(t, System(Options{}), map[string]string{"e.xml": wxrOf(posts...)}, imports.Options{Types: []string{"nf_sub", "shop_order"}}).OK()
	named.Is(named.Named("nf_sub 1"), "Data.content", `"of nf_sub"`)
	named.Is(named.Named("shop_order 1"), "Data.content", `"of shop_order"`)
	if named.Report.Items != r.Report.Items+2 {
		t.Error(named.Account())
	}
	missing := importstest.Try(t, System(Options{}), map[string]string{"e.xml": wxrOf(posts[0])}, imports.Options{Types: []string{"nf_sub"}})
	missing.Fails(`--type: the export has no type "nf_sub"`, `its types are "recipe"`)
	if strings.Contains(missing.Err.Error(), "wpforms") {
		t.Error(missing.Err)
	}
}
