package imports

import (
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/pagetest"
	"contentedge/generator/jsontree"
)

func TestPeopleByName(t *testing.T) {
	for _, tt := range []struct {
		names string // separated by commas
		out   bool
	}{
		{"contact,contacts,Contact,CONTACTS,contact-request,contact_request,contactRequest,ContactRequests,Contact request,contact.request", true},
		{"enquiry,inquiries,job-application,applicant,event-enrollment,enrolments,registration,patient,appointment,attendees,lead,message,feedback", true},
		{"order,shop_order,orderItem,subscriber,newsletterSubscribers,subscription,customer,teamMember,payment,signup,sign-ups,signUp,newsletter", true},
		{"form-submission,booking,reservation,RSVP,RSVPs,eventRSVPEntry,invoice,checkout,check-out,shoppingCart,user-account,session,apiToken,users2024,secret", true},
		{"flamingo_contact,wp_user_request,medical-record,medicalRecords,contactForm,contact-form,contact-page-message,orders 2", true},
		{"post,page,article,author,person,product,siteSettings,event,faq,address,press,news,class,", false},
		{"border,recorder,contactless,messenger,membership,leader,leading,tokenizer,reorder,sessional,accounting,requester,ordering,username", false},
		{"contact-page,contactPages,newsletter-page,ContactSection,order-page,signup block,cart_template,user-settings,MessageBlocks,newsletterSetting", false},
	} {
		for name := range strings.SplitSeq(tt.names, ",") {
			j := &Job{types: map[string]*Type{}}
			if why := j.Type(name).LeftOut(); (why != "") != tt.out {
				t.Errorf("%q is left out: %q, want %t", name, why, tt.out)
			}
			if j.Options.Types = []string{name}; j.Type(name).LeftOut() != "" {
				t.Errorf("%q is left out although it is named", name)
			}
		}
	}
}

func TestPeopleByFields(t *testing.T) {
	for _, tt := range []struct {
		documents string // one a line
		out       bool
	}{
		{`{"name":"A","email":"a@example.org"}`, true},
		{`{"name":"A","e-mail":"a@example.org"}`, true},
		{`{"eMail":{"en":"a@example.org"}}`, true},
		{`{"workPhone":5551}`, true},
		{`{"phone_numbers":["5551"]}`, true},
		{`{"contactEmailAddresses":["a@example.org"]}`, true},
		{`{"mobile":"5551"}`, true},
		{`{"Telephone":"5551"}`, true},
		{`{"passwordHash":"x"}`, true},
		{`{"userPassword":"x"}`, true},
		{"{\"name\":\"A\"}\n{\"email\":\"a@example.org\"}", true},
		{`{"email":"a@example.org","slug":""}`, true},
		{`{"email":"a@example.org","slug":null}`, true},
		{`{"email":"a@example.org","slug":"a"}`, false},
		{`{"email":"a@example.org","slug":{"current":"a"}}`, false},
		{"{\"email\":\"a@example.org\"}\n{\"uid\":\"a\"}", false},
		{`{"phone":"5551","path":"/a"}`, false},
		{`{"phone":"5551","Route":"/a"}`, false},
		{`{"phone":"5551","permalink":"/a"}`, false},
		{`{"email":"","phone":null,"mobile":true,"telephone":[]}`, false},
		{`{"mobileImage":"a.png","emailSubject":"Hi","microphone":"x","smartphone":"y","phoneticName":"z","passage":"x","apiKey":"x"}`, false},
		{`{"company":{"email":"a@example.org"}}`, false},
		{`{}`, false},
	} {
		lines := strings.Split(tt.documents, "\n")
		for range 2 {
			slices.Reverse(lines)
			j := &Job{types: map[string]*Type{}}
			for _, line := range lines {
				v, err := jsontree.Parse([]byte(line))
				if err != nil {
					t.Fatal(err)
				}
				j.Type("person").Fields(v)
				j.Type("sitePage").Fields(v)
				j.Type("profile").Fields(v)
			}
			if why := j.Type("person").LeftOut(); (why != "") != tt.out {
				t.Errorf("%s: left out: %q, want %t", lines, why, tt.out)
			}
			j.Type("profile").Single()
			if why := j.Type("sitePage").LeftOut() + j.Type("profile").LeftOut(); why != "" {
				t.Errorf("%s: a page, or a single document, is left out: %s", lines, why)
			}
		}
	}
}

// TestPeopleReasons: the reason has the type, what it was judged by, and the flag. It does not depend on the order.
func TestPeopleReasons(t *testing.T) {
	j := &Job{types: map[string]*Type{}}
	j.Type("visitor").Field("phone")
	j.Type("visitor").Field("email")
	j.Type("box").Holds("passwords or keys")
	j.Type("box").Single()
	for name, want := range map[string]string{
		"visitor":      `people's data: visitor has the field "email" and no slug; --type visitor takes it`,
		"box":          `people's data: box holds passwords or keys; --type box takes it`,
		"Jane's order": `people's data: Jane's order has the word order in its name; --type 'Jane'\''s order' takes it`,
	} {
		if got := j.Type(name).LeftOut(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// TestPeopleOfThePage compares the lists of words with those of IMPORT-FLAGS.md.
func TestPeopleOfThePage(t *testing.T) {
	for name, words := range map[string][]string{"words of people's data": peopleWords, "words of pages": pageWords, "fields with the path of a page": routeNames} {
		pagetest.List(t, "../IMPORT-FLAGS.md", name, "`"+strings.Join(words, "`, `")+"`\n")
		if !slices.IsSorted(words) {
			t.Errorf("the %s are not sorted", name)
		}
	}
}
