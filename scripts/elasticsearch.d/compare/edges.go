// This file compares two edge servers: one evaluates requests from a snapshot, the other one asks a cluster.

package compare

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"contentedge/edgeserve/engine/cluster/translate"

	"elasticsearch/index"
)

// Answer is what an edge server sends.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// approximateField says why an answer is approximate.
const approximateField = "X-Approximate"

// Approximate reports whether the answer says that it is approximate.
func (a Answer) Approximate() bool { return a.Header.Get(approximateField) != "" }

// Form is how an answer is read.
type Form int

// The forms of answers.
const (
	AnyJSON   Form = iota
	Enveloped      // a list or a search of the interface
	Hits           // Elasticsearch's search
	Explained      // Elasticsearch's explanation of a score, whose texts are free
)

// ofBytes are fields that follow from the bytes of a response, or from its time. A cluster adds the last one.
var ofBytes = []string{"Etag", "Content-Length", "Date", "X-Request-Id", "Server-Timing", "Last-Modified", approximateField}

// Edges returns what differs between the answers of two edge servers to a request, or "". The order of hits that tie
// within the precision of scores is free; more returns the page of the cluster with what follows it. An envelope does
// not tell scores: the order of its items counts.
func Edges(form Form, snapshot, cluster Answer, more func() (Answer, bool)) string {
	if diff := headers(snapshot.Header, cluster.Header); diff != "" && snapshot.Status == cluster.Status {
		return diff
	}
	if snapshot.Status == cluster.Status && bytes.Equal(snapshot.Body, cluster.Body) {
		return ""
	}
	ours, err := form.read(cluster)
	if err != nil {
		return fmt.Sprintf("the cluster's edge sends no JSON: %v", err)
	}
	theirs, err := form.read(snapshot)
	if err != nil {
		return fmt.Sprintf("the snapshot's edge sends no JSON: %v", err)
	}
	if form == Explained && ours.Status == http.StatusOK && theirs.Status == http.StatusOK {
		return explained(ours.Parts["suggest"], theirs.Parts["suggest"])
	}
	diff := difference(ours, theirs, func() *Response {
		a, ok := more()
		if !ok {
			return nil
		}
		r, err := form.read(a)
		if err != nil || r.Status != http.StatusOK {
			return nil
		}
		return r
	})
	if diff == "" && snapshot.Status != http.StatusOK {
		return fmt.Sprintf("error %.300s, theirs %.300s", cluster.Body, snapshot.Body)
	}
	if diff == "" && form == Enveloped {
		return items(ours, theirs)
	}
	return diff
}

// headers compares the fields that do not follow from the bytes.
func headers(snapshot, cluster http.Header) string {
	for _, name := range slices.Sorted(maps.Keys(snapshot)) {
		if !slices.Contains(ofBytes, name) && !slices.Equal(snapshot[name], cluster[name]) {
			return fmt.Sprintf("field %s: %q, theirs %q", name, cluster[name], snapshot[name])
		}
	}
	for name := range cluster {
		if snapshot[name] == nil && !slices.Contains(ofBytes, name) {
			return fmt.Sprintf("field %s: %q, theirs none", name, cluster[name])
		}
	}
	return ""
}

// items compares the items of envelopes, and their order.
func items(ours, theirs *Response) string {
	for i, hit := range ours.Hits {
		if diff := values("", hit.Source, theirs.Hits[i].Source, 0); diff != "" {
			return fmt.Sprintf("item %d%s", i, diff)
		}
	}
	return ""
}

// explained compares explanations of the score of an item, but for texts.
func explained(ours, theirs any) string {
	our, _ := ours.(object)
	their, _ := theirs.(object)
	if their["matched"] == true && our["matched"] == true {
		if diff := explanations("explanation", our["explanation"], their["explanation"]); !strings.HasPrefix(diff, textDiffers) {
			return diff
		}
	}
	delete(our, "explanation")
	delete(their, "explanation")
	return values("", ours, theirs, 0)
}

func (f Form) read(a Answer) (*Response, error) {
	switch f {
	case Enveloped:
		return readEnvelope(a.Status, a.Body)
	case Hits:
		return readSearch(a.Status, a.Body)
	}
	var v any
	if a.Status != http.StatusOK {
		return fail(a.Status, a.Body), nil
	}
	if err := decode(a.Body, &v); err != nil {
		return nil, err
	}
	return &Response{Status: a.Status, Parts: object{"suggest": v}}, nil // with the precision of scores
}

// direct is an index of an engine that is asked as Elasticsearch is, with the translation of a body.
type direct struct {
	*Judge
	fields translate.Fields
}

func (d direct) Bare() bool { return false }

func (d direct) Search(env string, body []byte) (*Response, error) {
	q := d.ask(env, d.fields, body, false)
	return d.theirs(env, q, q.body)
}

// Engines returns what differs between the responses of two engines to the translation of a body, or "".
func Engines(ours, theirs *index.Client, env string, fields translate.Fields, body []byte) (string, error) {
	v, err := NewJudge(direct{NewJudge(nil, ours), fields}, theirs).Compare(env, fields, body)
	return v.Difference, err
}
