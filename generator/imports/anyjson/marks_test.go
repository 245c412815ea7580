package anyjson

import (
	"slices"
	"testing"

	"contentedge/generator/imports/importstest"
	"contentedge/generator/visibility"
)

// importOne imports an item with some members.
func importOne(t *testing.T, o Options, mapping, members string) *importstest.Checks {
	t.Helper()
	if mapping == "" {
		o.ID, o.Created = ".id", ".d"
	}
	return try(t, o, mapping, "x.json", `[{"id":"a","name":"A","d":"2024-01-02",`+members+`}]`)
}

// TestMarks: each mark gives the item its Status and its ExpiresAt.
func TestMarks(t *testing.T) {
	const later = `"2031-05-06T00:00:00Z"`
	cases := []struct{ member, value, status, expires string }{
		{"draft", `true`, `"Draft"`, "nothing"},
		{"draft", `false`, `"Published"`, "nothing"},
		{"Draft", `"Yes"`, `"Draft"`, "nothing"},
		{"published", `false`, `"Draft"`, "nothing"},
		{"published", `true`, `"Published"`, "nothing"},
		{"published", `"2024-01-02"`, `"Published"`, "nothing"},
		{"publish", `false`, `"Draft"`, "nothing"},
		{"publish", `true`, `"Published"`, "nothing"},
		{"private", `true`, `"Private"`, "nothing"},
		{"private", `false`, `"Published"`, "nothing"},
		{"unlisted", `true`, `"Private"`, "nothing"},
		{"unlisted", `false`, `"Published"`, "nothing"},
		{"status", `"draft"`, `"Draft"`, "nothing"},
		{"status", `"Live"`, `"Published"`, "nothing"},
		{"status", `"scheduled"`, `"Draft"`, "nothing"},
		{"status", `"Accepted"`, `"Accepted"`, "nothing"},
		{"status", `null`, `"Published"`, "nothing"},
		{"draft\":false,\"private", `true`, `"Private"`, "nothing"},
		{"expires\":\"2035-01-01\",\"expires_at", `"2031-05-06"`, `"Published"`, later},
		{"expires", `1935792000`, `"Published"`, `"2031-05-06T00:00:00Z"`},
		{"expires", `null`, `"Published"`, "nothing"},
		{"expires", `"0001-01-01T00:00:00Z"`, `"Published"`, "nothing"},
	}
	for _, name := range []string{
		"expiryDate", "expirydate", "expiry_date", "expires", "expires_at", "expiry", "ExpiresAt", "expiresAt", "expirationDate",
		"unpublishDate", "unpublish_date", "unpublishAt", "unpublish_at", "unpublishedAt", "unpublished_at",
		"expireAt", "expire_at", "unpublish_on",
	} {
		cases = append(cases, struct{ member, value, status, expires string }{name, `"2031-05-06"`, `"Published"`, later})
	}
	for _, tt := range cases {
		r := importOne(t, Options{}, "", `"`+tt.member+`":`+tt.value).OK()
		r.Is(r.Named("A"), "Status", tt.status)
		r.Is(r.Named("A"), "ExpiresAt", tt.expires)
	}
	for _, m := range slices.Concat(visibility.StatusMarks(visibility.JSON), visibility.ExpiryMarks(visibility.JSON)) {
		if !slices.ContainsFunc(cases, func(tt struct{ member, value, status, expires string }) bool { return tt.member == m.Member }) {
			t.Errorf("no case has %s", m.Member)
		}
	}
	r := importOne(t, Options{}, "", `"status":"Accepted"`).OK()
	r.Warned(`the status "Accepted"`, 1)
}

// TestRulesOfMarks: what a rule says of the status wins; marks are also found where the rules say that the fields are.
func TestRulesOfMarks(t *testing.T) {
	r := importOne(t, Options{Status: "Published"}, "", `"draft":true,"expires":"2031-05-06"`).OK()
	r.Is(r.Named("A"), "Status", `"Published"`)
	r.Is(r.Named("A"), "ExpiresAt", `"2031-05-06T00:00:00Z"`)
	r = importOne(t, Options{Status: ".state"}, "", `"draft":true,"status":"live"`).OK()
	r.Is(r.Named("A"), "Status", `"Draft"`)
	r = importOne(t, Options{Status: ".state", Published: ".on"}, "", `"state":"scheduled","on":"2031-05-06"`).OK()
	r.Is(r.Named("A"), "Status", `"Published"`)
	r.Is(r.Named("A"), "PublishedAt", `"2031-05-06T00:00:00Z"`)
	r = importOne(t, Options{}, `json: {id: .id, name: .name, created: .d, data: .fields, value: .value}`, `"fields":{"private":{"value":true},"unpublished_at":{"value":"2031-05-06"}}`).OK()
	r.Is(r.Named("A"), "Status", `"Private"`)
	r.Is(r.Named("A"), "ExpiresAt", `"2031-05-06T00:00:00Z"`)
	r = importOne(t, Options{}, `json: {id: .id, name: .name, created: .d, expires: .end.on}`, `"end":{"on":"2031-05-06"},"expires":"soon"`).OK()
	r.Is(r.Named("A"), "ExpiresAt", `"2031-05-06T00:00:00Z"`)
}

// TestUnclearMarks: a value that nobody understands is an error at its place.
func TestUnclearMarks(t *testing.T) {
	for members, want := range map[string]string{
		`"draft":"maybe"`:       `x.json:1:48: draft must be true or false, not "maybe"`,
		`"private":1`:           `private must be true or false, not "1"`,
		`"expires":"soon"`:      `x.json:1:50: "soon" is not a date`,
		`"expires":false`:       `"false" is not a date`,
		`"expires":{"a":"b"}`:   "this must be a date, not an object",
		`"unpublished_at":1e99`: "\"1e99\" is not a date",
	} {
		importOne(t, Options{}, "", members).Fails(want)
	}
}
