package visibility

// Published is the status of public items.
const Published = "Published"

// NotPublic reports whether a status is a word that means "not public".
func NotPublic(status string) bool { return status == "Draft" || status == "Private" }
