// HitOptions are what a body asks of hits: values that they show, and which matches are hits.

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.time.Instant;
import java.util.Arrays;
import org.apache.lucene.index.BinaryDocValues;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.NumericDocValues;
import org.apache.lucene.index.SortedDocValues;
import org.apache.lucene.index.SortedNumericDocValues;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BoostQuery;
import org.apache.lucene.search.Collector;
import org.apache.lucene.search.DocIdSetIterator;
import org.apache.lucene.search.FilterCollector;
import org.apache.lucene.search.FilterLeafCollector;
import org.apache.lucene.search.LeafCollector;
import org.apache.lucene.search.MultiCollector;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.Scorable;
import org.apache.lucene.search.ScoreCachingWrappingScorer;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.ScoreMode;
import org.apache.lucene.search.Scorer;
import org.apache.lucene.search.TopScoreDocCollector;
import org.apache.lucene.search.Weight;
import org.apache.lucene.util.BytesRef;

final class HitOptions {
    static final float K1 = 2.2f; // Elasticsearch's scores are this many times Lucene's

    // of returns a prepared query with an option, or null if the kind is none.
    static Lucene.Answer of(Lucene.Searcher s, String kind, String[] a) {
        switch (kind) {
            case "docvalues":
                return new Docvalues(s, a);
            case "written":
                return new Written(s, a);
            case "postfilter":
                return new PostFilter(s, a);
            case "minscore":
                return new MinScore(s, a);
            default:
                return null;
        }
    }

    // Shown writes fields of the hits in addition to their items.
    abstract static class Shown extends Lucene.Answer {
        final String dates, numbers, names;
        final StringBuilder out = new StringBuilder();

        Shown(Lucene.Searcher s, String[] a) {
            super(s, Constructs.term(a[0], a[1]));
            dates = a[2];
            numbers = a[3];
            names = a[4];
        }

        abstract void write(int[] docs) throws IOException;

        @Override
        void show(ScoreDoc[] hits) throws IOException {
            super.show(hits);
            int[] docs = new int[hits.length];
            for (int i = 0; i < docs.length; i++) docs[i] = hits[i].doc;
            Arrays.sort(docs); // doc values are read forward
            out.setLength(0);
            write(docs);
            seen += out.length();
        }

        void name(String field) {
            out.append(out.length() == 0 ? '"' : ",\"").append(field).append("\":[");
        }

        void date(long ms) {
            out.append('"').append(Aggregations.DATE.format(Instant.ofEpochMilli(ms))).append('"');
        }
    }

    // Docvalues writes values as they are sorted.
    static final class Docvalues extends Shown {
        Docvalues(Lucene.Searcher s, String[] a) {
            super(s, a);
        }

        @Override
        void write(int[] docs) throws IOException {
            NumericDocValues date = searcher.reader.getNumericDocValues(dates);
            SortedNumericDocValues number = searcher.reader.getSortedNumericDocValues(numbers);
            SortedDocValues text = searcher.reader.getSortedDocValues(names + Lucene.WHOLE);
            for (int doc : docs) {
                if (date.advanceExact(doc)) {
                    name(dates);
                    date(date.longValue());
                    out.append(']');
                }
                if (number.advanceExact(doc)) {
                    name(numbers);
                    for (int n = number.docValueCount(); n > 0; n--) out.append(Double.longBitsToDouble(number.nextValue())).append(n > 1 ? "," : "]");
                }
                if (text.advanceExact(doc)) {
                    name(names);
                    out.append('"').append(text.lookupOrd(text.ordValue()).utf8ToString()).append("\"]");
                }
            }
        }
    }

    // Written writes values as they are in the items, whose JSON it reads.
    static final class Written extends Shown {
        static final JsonFactory JSON = new JsonFactory();
        final String[] fields;

        Written(Lucene.Searcher s, String[] a) {
            super(s, a);
            fields = new String[] {dates, numbers, names};
        }

        @Override
        void write(int[] docs) throws IOException {
            BinaryDocValues json = searcher.reader.getBinaryDocValues(Lucene.JSON);
            for (int doc : docs) {
                json.advanceExact(doc);
                BytesRef item = json.binaryValue();
                try (JsonParser parser = JSON.createParser(item.bytes, item.offset, item.length)) {
                    parser.nextToken();
                    object(parser, "");
                }
            }
        }

        // object reads the members of an object at a path, and passes over those that are not asked for.
        void object(JsonParser parser, String path) throws IOException {
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String name = path.isEmpty() ? parser.getCurrentName() : path + "." + parser.getCurrentName();
                parser.nextToken();
                boolean wanted = false, below = false;
                for (String field : fields) {
                    wanted |= field.equals(name);
                    below |= field.length() > name.length() && field.startsWith(name) && field.charAt(name.length()) == '.';
                }
                if (wanted) {
                    name(name);
                    values(parser, name);
                    out.setCharAt(out.length() - 1, ']');
                } else if (below && parser.currentToken() == JsonToken.START_OBJECT) object(parser, name);
                else parser.skipChildren();
            }
        }

        void values(JsonParser parser, String name) throws IOException {
            if (parser.currentToken() == JsonToken.START_ARRAY) {
                while (parser.nextToken() != JsonToken.END_ARRAY) values(parser, name);
                return;
            }
            String text = parser.getText();
            if (name.equals(dates)) date(Instant.parse(text).toEpochMilli());
            else if (name.equals(numbers)) out.append(Double.parseDouble(text));
            else out.append('"').append(text).append('"');
            out.append(',');
        }
    }

    // PostFilter counts values of all matches, and shows those that have one of them.
    static final class PostFilter extends Lucene.Answer {
        final Query filter, filtered;

        PostFilter(Lucene.Searcher s, String[] a) {
            super(s, Constructs.term(a[0], a[1]));
            group = a[2] + Lucene.WHOLE;
            filter = Constructs.term(group, a[3]);
            filtered = Lucene.Searcher.bool(Occur.MUST, query, Occur.FILTER, filter);
        }

        @Override
        long run(boolean apart) throws IOException {
            long total = apart ? searcher.index.count(filtered) : 0;
            TopScoreDocCollector top = TopScoreDocCollector.create(Lucene.HITS, apart ? 1 : Integer.MAX_VALUE);
            Lucene.Counter counter = new Lucene.Counter(group);
            if (apart) {
                searcher.index.search(filtered, top);
                searcher.index.search(query, counter);
            } else searcher.index.search(query, MultiCollector.wrap(filtered(top), counter));
            show(top.topDocs().scoreDocs);
            counter.best(10);
            return apart ? total : top.getTotalHits();
        }

        // filtered passes on the documents that the filter has.
        Collector filtered(Collector top) throws IOException {
            Weight weight = searcher.index.createWeight(searcher.index.rewrite(filter), ScoreMode.COMPLETE_NO_SCORES, 1);
            return new FilterCollector(top) {
                @Override
                public LeafCollector getLeafCollector(LeafReaderContext context) throws IOException {
                    Scorer scorer = weight.scorer(context);
                    DocIdSetIterator docs = scorer == null ? DocIdSetIterator.empty() : scorer.iterator();
                    return new FilterLeafCollector(super.getLeafCollector(context)) {
                        @Override
                        public void collect(int doc) throws IOException {
                            if (docs.docID() == doc || docs.docID() < doc && docs.advance(doc) == doc) in.collect(doc);
                        }
                    };
                }
            };
        }
    }

    // MinScore counts and shows the matches of a score or more.
    static final class MinScore extends Lucene.Answer {
        final float least;

        MinScore(Lucene.Searcher s, String[] a) {
            super(s, new BoostQuery(Lucene.Searcher.bool(Occur.SHOULD, Constructs.term(a[0], a[1]), Occur.SHOULD, Constructs.term(a[0], a[2])), K1));
            least = Float.parseFloat(a[3]);
        }

        @Override
        long run(boolean apart) throws IOException { // which matches count depends on their scores
            TopScoreDocCollector top = TopScoreDocCollector.create(Lucene.HITS, Integer.MAX_VALUE);
            searcher.index.search(query, new FilterCollector(top) {
                @Override
                public LeafCollector getLeafCollector(LeafReaderContext context) throws IOException {
                    return new FilterLeafCollector(super.getLeafCollector(context)) {
                        Scorable scorer;

                        @Override
                        public void setScorer(Scorable scorer) throws IOException {
                            this.scorer = ScoreCachingWrappingScorer.wrap(scorer);
                            in.setScorer(this.scorer);
                        }

                        @Override
                        public void collect(int doc) throws IOException {
                            if (scorer.score() >= least) in.collect(doc);
                        }
                    };
                }
            });
            show(top.topDocs().scoreDocs);
            return top.getTotalHits();
        }
    }
}
