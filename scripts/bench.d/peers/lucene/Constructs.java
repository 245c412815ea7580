// Constructs are the queries that only Lucene and Elasticsearch have too. Queries are
// Lucene's own; aggregations are plain loops over doc values, as Elasticsearch's aggregators.

import java.io.IOException;
import java.io.StringReader;
import java.text.BreakIterator;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Locale;
import org.apache.lucene.index.LeafReader;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.NumericDocValues;
import org.apache.lucene.index.SortedNumericDocValues;
import org.apache.lucene.index.Term;
import org.apache.lucene.queries.function.FunctionScoreQuery;
import org.apache.lucene.queries.intervals.IntervalQuery;
import org.apache.lucene.queries.intervals.Intervals;
import org.apache.lucene.queries.mlt.MoreLikeThis;
import org.apache.lucene.search.BlendedTermQuery;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.DisjunctionMaxQuery;
import org.apache.lucene.search.DocIdSetIterator;
import org.apache.lucene.search.DoubleValues;
import org.apache.lucene.search.DoubleValuesSource;
import org.apache.lucene.search.FieldDoc;
import org.apache.lucene.search.FuzzyQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.PrefixQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.RegexpQuery;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.SortField;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.spans.SpanNearQuery;
import org.apache.lucene.search.spans.SpanQuery;
import org.apache.lucene.search.spans.SpanTermQuery;
import org.apache.lucene.search.uhighlight.LengthGoalBreakIterator;
import org.apache.lucene.search.uhighlight.UnifiedHighlighter;
import org.apache.lucene.util.BytesRef;

final class Constructs {
    static final int SLOP = 3, LIKE_TERMS = 25, EXPANSIONS = 50, FRAGMENT = 100, FRAGMENTS = 5;
    static final double TIE_BREAKER = 0.3, DEMOTION = 0.5, DECAY_SCALE = 30 * 24 * 3600 * 1000.0;

    // prepare returns a prepared query of a construct, or null if the kind is none.
    static Lucene.Answer prepare(Lucene.Searcher s, String kind, String[] a) throws IOException {
        Lucene.Answer answer = HitOptions.of(s, kind, a);
        if (answer != null) return answer;
        answer = new Lucene.Answer(s, query(s, kind, a));
        switch (kind) {
            case "fuzzy": case "regexp": case "best": case "cross": case "boolprefix": case "dismax": case "boosting":
            case "decay": case "factor": case "span": case "intervals":
                break;
            case "morelike": // which terms are asked for depends on the index
                answer.made = () -> query(s, kind, a);
                break;
            case "highlight":
                answer.highlight = new Highlighter(s, a[0]);
                break;
            case "after":
                answer.sort = new Sort(new SortField(a[2], SortField.Type.LONG, true), new SortField(a[4] + Lucene.WHOLE, SortField.Type.STRING));
                answer.after = new FieldDoc(Integer.MAX_VALUE, Float.NaN, new Object[] {Long.parseLong(a[3]), new BytesRef(a[5])});
                break;
            case "collapse":
                answer.collapse = a[2] + Lucene.WHOLE;
                break;
            default:
                answer.extra = Aggregations.of(s, kind, a);
                if (answer.extra == null) return null;
        }
        return answer;
    }

    static Query query(Lucene.Searcher s, String kind, String[] a) throws IOException {
        switch (kind) {
            case "fuzzy":
                return new FuzzyQuery(new Term(a[0], a[1]), 1, 0, EXPANSIONS, true);
            case "regexp":
                return new RegexpQuery(new Term(a[0], a[1]));
            case "best":
                List<Query> fields = new java.util.ArrayList<>();
                for (int i = 2; i < a.length; i++)
                    fields.add(Lucene.Searcher.bool(Occur.SHOULD, term(a[i], a[0]), Occur.SHOULD, term(a[i], a[1])));
                return new DisjunctionMaxQuery(fields, 0);
            case "cross":
                return Lucene.Searcher.bool(Occur.MUST, blended(a[0], a), Occur.MUST, blended(a[1], a));
            case "boolprefix":
                return Lucene.Searcher.bool(Occur.SHOULD, term(a[0], a[1]), Occur.SHOULD, new PrefixQuery(new Term(a[0], a[2])));
            case "dismax":
                return new DisjunctionMaxQuery(List.of(term(a[0], a[1]), term(a[2], a[1])), (float) TIE_BREAKER);
            case "boosting":
                return FunctionScoreQuery.boostByQuery(term(a[0], a[1]), term(a[0], a[2]), (float) DEMOTION);
            case "decay":
                return FunctionScoreQuery.boostByValue(term(a[0], a[1]), new Decay(a[2], Long.parseLong(a[3])));
            case "factor":
                return FunctionScoreQuery.boostByValue(term(a[0], a[1]), new Factor(a[2]));
            case "morelike":
                MoreLikeThis like = new MoreLikeThis(s.reader);
                like.setAnalyzer(s.analyzer);
                like.setFieldNames(new String[] {a[0]});
                like.setMinTermFreq(1);
                like.setMinDocFreq(5);
                like.setMaxQueryTerms(LIKE_TERMS);
                return like.like(a[0], new StringReader(a[1]));
            case "span":
                return new SpanNearQuery(new SpanQuery[] {new SpanTermQuery(new Term(a[0], a[1])), new SpanTermQuery(new Term(a[0], a[2]))}, SLOP, true);
            case "intervals":
                return new IntervalQuery(a[0], Intervals.maxgaps(SLOP, Intervals.ordered(Intervals.term(a[1]), Intervals.term(a[2]))));
            default:
                return term(a[0], a.length > 1 ? a[1] : "");
        }
    }

    static Query term(String field, String text) {
        return Lucene.Searcher.term(field, text);
    }

    // blended is a word in any of the fields from the third argument on, with their statistics
    // together.
    static Query blended(String word, String[] a) {
        BlendedTermQuery.Builder b = new BlendedTermQuery.Builder();
        for (int i = 2; i < a.length; i++) b.add(new Term(a[i], word));
        return b.setRewriteMethod(new BlendedTermQuery.DisjunctionMaxRewrite(0)).build();
    }

    // Values are factors of scores that depend on a field.
    abstract static class Values extends DoubleValuesSource {
        final String field;

        Values(String field) {
            this.field = field;
        }

        @Override
        public boolean needsScores() {
            return false;
        }

        @Override
        public DoubleValuesSource rewrite(IndexSearcher searcher) {
            return this;
        }

        @Override
        public boolean isCacheable(LeafReaderContext context) {
            return false;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }

        @Override
        public String toString() {
            return field;
        }
    }

    // Decay is gauss on a date.
    static final class Decay extends Values {
        final long origin;

        Decay(String field, long origin) {
            super(field);
            this.origin = origin;
        }

        @Override
        public DoubleValues getValues(LeafReaderContext context, DoubleValues scores) throws IOException {
            NumericDocValues values = context.reader().getNumericDocValues(field);
            double spread = DECAY_SCALE * DECAY_SCALE / Math.log(0.5);
            return new DoubleValues() {
                @Override
                public double doubleValue() throws IOException {
                    double distance = Math.abs(values.longValue() - origin);
                    return Math.exp(distance * distance / spread);
                }

                @Override
                public boolean advanceExact(int doc) throws IOException {
                    return values.advanceExact(doc);
                }
            };
        }
    }

    // Factor is log1p of a number, 1 where there is none.
    static final class Factor extends Values {
        Factor(String field) {
            super(field);
        }

        @Override
        public DoubleValues getValues(LeafReaderContext context, DoubleValues scores) throws IOException {
            SortedNumericDocValues values = context.reader().getSortedNumericDocValues(field);
            return new DoubleValues() {
                double value;

                @Override
                public double doubleValue() {
                    return Math.log10(value + 1);
                }

                @Override
                public boolean advanceExact(int doc) throws IOException {
                    value = values.advanceExact(doc) ? Double.longBitsToDouble(values.nextValue()) : 1;
                    return true;
                }
            };
        }
    }

    // Highlighter highlights hits from texts in memory: Elasticsearch would read their source.
    static final class Highlighter extends UnifiedHighlighter {
        final Lucene.Searcher searcher;
        final String field;

        Highlighter(Lucene.Searcher s, String field) throws IOException {
            super(s.index, s.analyzer);
            this.searcher = s;
            this.field = field;
            s.loadTexts(field);
            setBreakIterator(() -> LengthGoalBreakIterator.createClosestToLength(BreakIterator.getSentenceInstance(Locale.ROOT), FRAGMENT, 0f));
        }

        String[] of(Query query, TopDocs hits) throws IOException {
            return highlight(field, query, hits, FRAGMENTS);
        }

        @Override
        protected List<CharSequence[]> loadFieldValues(String[] fields, DocIdSetIterator docs, int threshold) throws IOException {
            List<CharSequence[]> out = new java.util.ArrayList<>();
            for (int doc = docs.nextDoc(); doc != DocIdSetIterator.NO_MORE_DOCS; doc = docs.nextDoc())
                out.add(new CharSequence[] {searcher.texts.get(doc)});
            return out;
        }
    }

    // months are the starts of all months in which a field has dates.
    static long[] months(LeafReader reader, String field) throws IOException {
        NumericDocValues values = reader.getNumericDocValues(field);
        long least = Long.MAX_VALUE, most = Long.MIN_VALUE;
        while (values.nextDoc() != DocIdSetIterator.NO_MORE_DOCS) {
            least = Math.min(least, values.longValue());
            most = Math.max(most, values.longValue());
        }
        List<Long> starts = new java.util.ArrayList<>();
        ZonedDateTime first = Instant.ofEpochMilli(least).atZone(ZoneOffset.UTC).withDayOfMonth(1).truncatedTo(java.time.temporal.ChronoUnit.DAYS);
        for (ZonedDateTime m = first; m.toInstant().toEpochMilli() <= most; m = m.plusMonths(1)) starts.add(m.toInstant().toEpochMilli());
        return starts.stream().mapToLong(Long::longValue).toArray();
    }
}
