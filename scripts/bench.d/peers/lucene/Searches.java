// Searches are constructs that do something with the page of a query's matches, and queries that
// were not among the first constructs. What Lucene has no class for is done as Elasticsearch does it.

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.document.LongPoint;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.SortedDocValues;
import org.apache.lucene.index.SortedNumericDocValues;
import org.apache.lucene.index.Term;
import org.apache.lucene.index.Terms;
import org.apache.lucene.index.TermsEnum;
import org.apache.lucene.queries.function.FunctionScoreQuery;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.CoveringQuery;
import org.apache.lucene.search.DisjunctionMaxQuery;
import org.apache.lucene.search.DocIdSetIterator;
import org.apache.lucene.search.DoubleValues;
import org.apache.lucene.search.DoubleValuesSource;
import org.apache.lucene.search.Explanation;
import org.apache.lucene.search.FuzzyQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.LongValues;
import org.apache.lucene.search.LongValuesSource;
import org.apache.lucene.search.MatchNoDocsQuery;
import org.apache.lucene.search.MultiPhraseQuery;
import org.apache.lucene.search.PhraseQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.QueryRescorer;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.ScoreMode;
import org.apache.lucene.search.Scorer;
import org.apache.lucene.search.TermInSetQuery;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.TopScoreDocCollector;
import org.apache.lucene.search.Weight;
import org.apache.lucene.search.highlight.Highlighter;
import org.apache.lucene.search.highlight.InvalidTokenOffsetsException;
import org.apache.lucene.search.highlight.QueryScorer;
import org.apache.lucene.search.highlight.SimpleHTMLFormatter;
import org.apache.lucene.search.highlight.SimpleSpanFragmenter;
import org.apache.lucene.search.highlight.TextFragment;
import org.apache.lucene.search.spans.SpanNotQuery;
import org.apache.lucene.search.spans.SpanOrQuery;
import org.apache.lucene.search.spans.SpanQuery;
import org.apache.lucene.search.spans.SpanTermQuery;
import org.apache.lucene.util.BytesRef;
import org.apache.lucene.util.StringHelper;

final class Searches {
    static final int WINDOW = 50, SEED = 7;

    // prepare returns a prepared query, or null if the kind is none of these.
    static Lucene.Answer prepare(Lucene.Searcher s, String kind, String[] a) throws IOException {
        switch (kind) {
            case "suggest":
                return new Suggestions.Words(s, a[0], a[1]);
            case "suggestphrase":
                return new Suggestions.Phrase(s, a[0], a[1]);
            case "rescore":
                return new Rescored(s, term(a[0], a[1]), new PhraseQuery(a[0], a[1], a[2]));
            case "plain":
                return new Highlighted(s, a[0], term(a[0], a[1]));
            case "explain":
                return new Explained(s, either(a));
            case "named":
                return new Named(s, either(a), term(a[0], a[1]), term(a[0], a[2]));
            case "phraseprefix": // which terms are asked for depends on the index
                Lucene.Answer answer = new Lucene.Answer(s, null);
                answer.made = () -> phrasePrefix(s, a);
                return answer;
            default:
                Query query = query(kind, a);
                return query == null ? null : new Lucene.Answer(s, query);
        }
    }

    static Query query(String kind, String[] a) {
        switch (kind) {
            case "termsset":
                List<Query> words = new ArrayList<>();
                for (int i = 2; i < a.length; i++) words.add(term(a[0], a[i]));
                return new CoveringQuery(words, new Minimum(a[1]));
            case "random":
                return FunctionScoreQuery.boostByValue(term(a[0], a[1]), new Random(a[2] + Lucene.WHOLE));
            case "most":
                List<Query> fields = new ArrayList<>();
                for (int i = 2; i < a.length; i++) fields.add(either(new String[] {a[i], a[0], a[1]}));
                return new DisjunctionMaxQuery(fields, 1);
            case "sloppy":
                return new PhraseQuery(Constructs.SLOP, a[0], a[1], a[2]);
            case "terms":
                List<BytesRef> names = new ArrayList<>();
                for (int i = 1; i < a.length; i++) names.add(new BytesRef(a[i]));
                return new TermInSetQuery(a[0] + Lucene.WHOLE, names);
            case "distance":
                Query near = LongPoint.newDistanceFeatureQuery(a[2], 1, Long.parseLong(a[3]), (long) Constructs.DECAY_SCALE);
                return Lucene.Searcher.bool(Occur.MUST, term(a[0], a[1]), Occur.SHOULD, near);
            case "fuzzymatch":
                return new FuzzyQuery(new Term(a[0], a[1]), a[1].length() < 6 ? 1 : 2, 0, Constructs.EXPANSIONS, true);
            case "spannot":
                return new SpanNotQuery(span(a[0], a[1]), span(a[0], a[2]), Constructs.SLOP, Constructs.SLOP);
            case "spanor":
                return new SpanOrQuery(span(a[0], a[1]), span(a[0], a[2]));
            default:
                return null;
        }
    }

    static Query term(String field, String text) {
        return Lucene.Searcher.term(field, text);
    }

    static Query either(String[] a) {
        return Lucene.Searcher.bool(Occur.SHOULD, term(a[0], a[1]), Occur.SHOULD, term(a[0], a[2]));
    }

    static SpanQuery span(String field, String text) {
        return new SpanTermQuery(new Term(field, text));
    }

    // phrasePrefix is a word and words that a prefix follows, in any of the fields.
    static Query phrasePrefix(Lucene.Searcher s, String[] a) throws IOException {
        List<Query> fields = new ArrayList<>();
        for (int i = 2; i < a.length; i++) {
            Term[] terms = expand(s.reader.terms(a[i]), a[i], new BytesRef(a[1]));
            if (terms.length == 0) fields.add(new MatchNoDocsQuery());
            else fields.add(new MultiPhraseQuery.Builder().add(new Term(a[i], a[0])).add(terms).build());
        }
        return new DisjunctionMaxQuery(fields, 0);
    }

    static Term[] expand(Terms terms, String field, BytesRef prefix) throws IOException {
        List<Term> out = new ArrayList<>();
        TermsEnum e = terms.iterator();
        if (e.seekCeil(prefix) == TermsEnum.SeekStatus.END) return new Term[0];
        for (BytesRef t = e.term(); t != null && out.size() < Constructs.EXPANSIONS && StringHelper.startsWith(t, prefix); t = e.next())
            out.add(new Term(field, BytesRef.deepCopyOf(t)));
        return out.toArray(new Term[0]);
    }

    // Minimum is how many words have to match, by a number of each document.
    static final class Minimum extends LongValuesSource {
        final String field;

        Minimum(String field) {
            this.field = field;
        }

        @Override
        public LongValues getValues(LeafReaderContext context, DoubleValues scores) throws IOException {
            SortedNumericDocValues values = context.reader().getSortedNumericDocValues(field);
            return new LongValues() {
                @Override
                public long longValue() throws IOException {
                    return (long) Double.longBitsToDouble(values.nextValue());
                }

                @Override
                public boolean advanceExact(int doc) throws IOException {
                    return values.advanceExact(doc);
                }
            };
        }

        @Override
        public boolean needsScores() {
            return false;
        }

        @Override
        public LongValuesSource rewrite(IndexSearcher searcher) {
            return this;
        }

        @Override
        public boolean isCacheable(LeafReaderContext context) {
            return false;
        }

        @Override
        public int hashCode() {
            return field.hashCode();
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

    // Random are numbers below 1, by the value of a field.
    static final class Random extends Constructs.Values {
        Random(String field) {
            super(field);
        }

        @Override
        public DoubleValues getValues(LeafReaderContext context, DoubleValues scores) throws IOException {
            SortedDocValues values = context.reader().getSortedDocValues(field);
            return new DoubleValues() {
                @Override
                public double doubleValue() throws IOException {
                    int hash = StringHelper.murmurhash3_x86_32(values.lookupOrd(values.ordValue()), SEED);
                    return (hash & 0xffffff) / (float) (1 << 24);
                }

                @Override
                public boolean advanceExact(int doc) throws IOException {
                    return values.advanceExact(doc);
                }
            };
        }
    }

    // Page is an answer that does something with the first matches.
    abstract static class Page extends Lucene.Answer {
        final int size;

        Page(Lucene.Searcher s, Query query, int size) {
            super(s, query);
            this.size = size;
        }

        // then returns the hits.
        abstract ScoreDoc[] then(TopDocs first) throws IOException;

        @Override
        long run(boolean apart) throws IOException {
            long total = apart ? searcher.index.count(query) : 0;
            TopScoreDocCollector top = TopScoreDocCollector.create(size, apart ? 1 : Integer.MAX_VALUE);
            searcher.index.search(query, top);
            searcher.fetch(then(top.topDocs()));
            return apart ? total : top.getTotalHits();
        }

        ScoreDoc[] byDocument(TopDocs first) {
            ScoreDoc[] hits = first.scoreDocs.clone();
            Arrays.sort(hits, (x, y) -> Integer.compare(x.doc, y.doc));
            return hits;
        }
    }

    static final class Rescored extends Page {
        final Query second;

        Rescored(Lucene.Searcher s, Query query, Query second) {
            super(s, query, WINDOW);
            this.second = second;
        }

        @Override
        ScoreDoc[] then(TopDocs first) throws IOException {
            return QueryRescorer.rescore(searcher.index, first, second, 1, Lucene.HITS).scoreDocs;
        }
    }

    // Highlighted cuts and marks each value of a field, as the plain highlighter of Elasticsearch.
    static final class Highlighted extends Page {
        final String field;

        Highlighted(Lucene.Searcher s, String field, Query query) throws IOException {
            super(s, query, Lucene.HITS);
            this.field = field;
            s.loadTexts(field);
        }

        @Override
        ScoreDoc[] then(TopDocs first) throws IOException {
            QueryScorer scorer = new QueryScorer(query, field);
            Highlighter highlighter = new Highlighter(new SimpleHTMLFormatter("<em>", "</em>"), scorer);
            highlighter.setTextFragmenter(new SimpleSpanFragmenter(scorer, Constructs.FRAGMENT));
            highlighter.setMaxDocCharsToAnalyze(Integer.MAX_VALUE);
            for (ScoreDoc hit : first.scoreDocs)
                for (String text : searcher.texts.get(hit.doc).split("\0")) mark(highlighter, text);
            return first.scoreDocs;
        }

        void mark(Highlighter highlighter, String text) throws IOException {
            try (TokenStream words = searcher.analyzer.tokenStream(field, text)) {
                for (TextFragment f : highlighter.getBestTextFragments(words, text, false, Constructs.FRAGMENTS))
                    if (f != null && f.getScore() > 0) seen += f.toString().length();
            } catch (InvalidTokenOffsetsException e) {
                throw new IOException(e);
            }
        }
    }

    // Explained writes how each hit's score comes about.
    static final class Explained extends Page {
        final StringBuilder text = new StringBuilder();

        Explained(Lucene.Searcher s, Query query) {
            super(s, query, Lucene.HITS);
        }

        @Override
        ScoreDoc[] then(TopDocs first) throws IOException {
            Weight weight = searcher.index.createWeight(searcher.index.rewrite(query), ScoreMode.COMPLETE, 1);
            LeafReaderContext leaf = searcher.reader.getContext();
            text.setLength(0);
            for (ScoreDoc hit : first.scoreDocs) write(weight.explain(leaf, hit.doc));
            seen += text.length();
            return first.scoreDocs;
        }

        void write(Explanation e) {
            text.append("{\"value\":").append(e.getValue()).append(",\"description\":\"").append(e.getDescription()).append("\",\"details\":[");
            String comma = "";
            for (Explanation detail : e.getDetails()) {
                text.append(comma);
                write(detail);
                comma = ",";
            }
            text.append("]}");
        }
    }

    // Named tells which of the queries each hit matches.
    static final class Named extends Page {
        final Query[] named;

        Named(Lucene.Searcher s, Query query, Query... named) {
            super(s, query, Lucene.HITS);
            this.named = named;
        }

        @Override
        ScoreDoc[] then(TopDocs first) throws IOException {
            ScoreDoc[] hits = byDocument(first);
            for (Query q : named) {
                Weight weight = searcher.index.createWeight(searcher.index.rewrite(q), ScoreMode.COMPLETE_NO_SCORES, 1);
                Scorer scorer = weight.scorer(searcher.reader.getContext());
                if (scorer == null) continue;
                DocIdSetIterator matches = scorer.iterator();
                for (ScoreDoc hit : hits) {
                    if (matches.docID() < hit.doc) matches.advance(hit.doc);
                    if (matches.docID() == hit.doc) seen++;
                }
            }
            return first.scoreDocs;
        }
    }
}
