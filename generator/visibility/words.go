// This file has the words for statuses.

package visibility

import "strings"

// The statuses of items that readers and importers write. Other words of a source stay as they are.
const (
	Published = "Published"
	Changed   = "Changed" // published, and the text of the item has later, unpublished edits
	Draft     = "Draft"
	Private   = "Private"
	Archived  = "Archived"
	InReview  = "InReview"
)

// Scheduled and Expired are reasons why a Published item is left out: the time of a build decides. No reader and no
// importer writes them as a Status: see Written.
const (
	Scheduled = "Scheduled"
	Expired   = "Expired"
)

// Word is a row of the table of words.
type Word struct {
	Status string
	Words  []string // of systems, in any case; spaces, - and _ do not count
}

// Words returns the table of words, from the status that fewest people see. The status itself is always one of its words.
func Words() []Word {
	return []Word{
		{Private, []string{"private", "hidden", "unlisted", "password", "password protected", "sent"}},
		{Draft, []string{"draft", "auto-draft", "unpublished", "inactive"}},
		{Archived, []string{"archived", "trash", "trashed", "deleted", "expired"}},
		{InReview, []string{"in review", "pending", "pending review"}},
		{Changed, []string{"changed", "updated", "modified"}},
		{Scheduled, []string{"scheduled", "future"}},
		{Published, []string{"published", "publish", "live", "active", "public"}},
	}
}

// statuses are the statuses by their words without joints, and ranks are the places of statuses in Words.
var statuses, ranks = func() (map[string]string, map[string]int) {
	statuses, ranks := map[string]string{}, map[string]int{}
	for rank, row := range Words() {
		ranks[row.Status] = rank
		for _, word := range row.Words {
			statuses[plain(word)] = row.Status
		}
	}
	return statuses, ranks
}()

// joints are the characters that systems put between the parts of a word.
var joints = strings.NewReplacer(" ", "", "-", "", "_", "")

func plain(word string) string { return joints.Replace(strings.ToLower(strings.TrimSpace(word))) }

// Status returns the status that a word of a system means. Scheduled is for Written to translate. The status of an
// unknown word is the word itself.
func Status(word string) (status string, known bool) {
	if status, known = statuses[plain(word)]; known {
		return status, true
	}
	return word, false
}

// Written returns the Status to write for a status from Status. A Scheduled item is Published, if something says from
// when on. Otherwise it is a Draft, as its time is unknown.
func Written(status string, hasPublishedAt bool) string {
	switch {
	case status != Scheduled:
		return status
	case hasPublishedAt:
		return Published
	}
	return Draft
}

// NotPublic reports whether a Status is a word that means that an item is not public. It is false for unknown words.
func NotPublic(status string) bool {
	means, known := Status(status)
	return known && means != Published
}

// Stricter reports whether fewer people see an item of the status a than one of the status b. An unknown status is stricter
// than Published, and less strict than every other. "" is the least strict.
func Stricter(a, b string) bool { return strictness(a) > strictness(b) }

func strictness(status string) int {
	rank, known := ranks[status]
	switch {
	case status == "":
		return -1
	case status == Published:
		return 0
	case !known:
		return 1
	}
	return 1 + len(ranks) - rank
}
