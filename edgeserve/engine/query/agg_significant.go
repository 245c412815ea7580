// This file defines significant_terms.

package query

// AggSignificantTerms finds the terms that are more frequent in a bucket than elsewhere.
const AggSignificantTerms AggKind = "significant_terms"

// Significance are the options of significant_terms in addition to the options of terms.
type Significance struct {
	Measure    string // jlh chi_square gnd mutual_information percentage
	Superset   bool   // the background includes the bucket; not for jlh and percentage
	Negatives  bool   // terms that are rarer in the bucket than elsewhere count too
	Background Node   // selects the items to compare with; nil means every item
	Terms      TermsOptions
}

// Visit implements Part.
func (s *Significance) Visit(v *Visitor) { v.Part(s.Background) }
