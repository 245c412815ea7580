// Aggregations are loops over the doc values of all matches. Their results are read and dropped.

import com.tdunning.math.stats.AVLTreeDigest;
import java.io.IOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.NumericDocValues;
import org.apache.lucene.index.SortedDocValues;
import org.apache.lucene.index.SortedNumericDocValues;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.LeafCollector;
import org.apache.lucene.search.Scorable;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.ScoreMode;
import org.apache.lucene.search.SimpleCollector;
import org.apache.lucene.search.TopScoreDocCollector;
import org.apache.lucene.util.BytesRef;

final class Aggregations {
    static final int BUCKETS = 10;
    static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

    // Extra begins a collector for each run, and ends it.
    interface Extra {
        Aggregation begin();
    }

    abstract static class Aggregation extends SimpleCollector {
        long result; // something of it, so that no work can be left out

        abstract void end() throws IOException;

        @Override
        public ScoreMode scoreMode() {
            return ScoreMode.COMPLETE_NO_SCORES;
        }
    }

    static Extra of(Lucene.Searcher s, String kind, String[] a) throws IOException {
        switch (kind) {
            case "histogram":
                double interval = Double.parseDouble(a[3]);
                return () -> new Numbers(a[2]) {
                    final LongCounts counts = new LongCounts();

                    @Override
                    void value(double v) {
                        counts.add((long) Math.floor(v / interval));
                    }

                    @Override
                    void end() {
                        result = counts.keys(0).length;
                    }
                };
            case "months":
                long[] starts = Constructs.months(s.reader, a[2]);
                return () -> new Months(a[2], starts);
            case "ranges":
                double x = Double.parseDouble(a[3]), y = Double.parseDouble(a[4]), z = Double.parseDouble(a[5]);
                double[] from = {Double.NEGATIVE_INFINITY, x, y, z}, to = {x, y, z, Double.POSITIVE_INFINITY};
                return () -> new Numbers(a[2]) {
                    final long[] counts = new long[from.length];

                    @Override
                    void value(double v) {
                        for (int i = 0; i < from.length; i++) if (v >= from[i] && v < to[i]) counts[i]++;
                    }

                    @Override
                    void end() {
                        result = counts[0];
                    }
                };
            case "percents":
                return () -> new Numbers(a[2]) {
                    final AVLTreeDigest digest = new AVLTreeDigest(100);

                    @Override
                    void value(double v) {
                        digest.add(v);
                    }

                    @Override
                    void end() {
                        for (double q : new double[] {0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99}) result += (long) digest.quantile(q);
                    }
                };
            case "twolevels":
                return () -> new Pairs(a[2] + Lucene.WHOLE, a[3] + Lucene.WHOLE, false);
            case "composite":
                return () -> new Pairs(a[2] + Lucene.WHOLE, a[3] + Lucene.WHOLE, true);
            case "tophits":
                return () -> new TopHits(s, a[2] + Lucene.WHOLE);
            case "significant":
                return () -> new Significant(s, a[2] + Lucene.WHOLE);
            default:
                return MoreAggregations.of(s, kind, a);
        }
    }

    // Numbers visits each number of the matches.
    abstract static class Numbers extends Aggregation {
        final String field;
        SortedNumericDocValues values;

        Numbers(String field) {
            this.field = field;
        }

        abstract void value(double v);

        @Override
        protected void doSetNextReader(LeafReaderContext context) throws IOException {
            values = context.reader().getSortedNumericDocValues(field);
        }

        @Override
        public void collect(int doc) throws IOException {
            if (!values.advanceExact(doc)) return;
            for (int n = values.docValueCount(); n > 0; n--) value(Double.longBitsToDouble(values.nextValue()));
        }
    }

    // Months counts dates by month, whose starts are known as in Elasticsearch's prepared rounding.
    static final class Months extends Aggregation {
        final String field;
        final long[] starts, counts;
        NumericDocValues values;

        Months(String field, long[] starts) {
            this.field = field;
            this.starts = starts;
            counts = new long[starts.length];
        }

        @Override
        protected void doSetNextReader(LeafReaderContext context) throws IOException {
            values = context.reader().getNumericDocValues(field);
        }

        @Override
        public void collect(int doc) throws IOException {
            if (!values.advanceExact(doc)) return;
            int at = Arrays.binarySearch(starts, values.longValue());
            counts[at < 0 ? -2 - at : at]++;
        }

        @Override
        void end() {
            int first = 0, last = counts.length - 1;
            while (first < last && counts[first] == 0) first++;
            while (last > first && counts[last] == 0) last--;
            StringBuilder out = new StringBuilder(); // there are many buckets: empty ones are written too
            for (int i = first; i <= last; i++)
                out.append("{\"key_as_string\":\"").append(DATE.format(Instant.ofEpochMilli(starts[i]))).append("\",\"key\":").append(starts[i])
                    .append(",\"doc_count\":").append(counts[i]).append("},");
            result = out.length();
        }
    }

    // Pairs counts pairs of values: the most frequent ones of two levels, or the first ones in order.
    static final class Pairs extends Aggregation {
        final String outerField, innerField;
        final boolean inOrder;
        final LongCounts counts = new LongCounts();
        SortedDocValues outer, inner;
        long[] outers;

        Pairs(String outerField, String innerField, boolean inOrder) {
            this.outerField = outerField;
            this.innerField = innerField;
            this.inOrder = inOrder;
        }

        @Override
        protected void doSetNextReader(LeafReaderContext context) throws IOException {
            outer = context.reader().getSortedDocValues(outerField);
            inner = context.reader().getSortedDocValues(innerField);
            outers = new long[outer.getValueCount()];
        }

        @Override
        public void collect(int doc) throws IOException {
            if (!outer.advanceExact(doc)) return;
            long ord = outer.ordValue();
            outers[(int) ord]++;
            if (inner.advanceExact(doc)) counts.add(ord << 32 | inner.ordValue());
        }

        @Override
        void end() throws IOException {
            if (inOrder) {
                long[] keys = counts.keys(0);
                Arrays.sort(keys);
                for (int i = 0; i < Math.min(BUCKETS, keys.length); i++) result += outer.lookupOrd((int) (keys[i] >> 32)).length + inner.lookupOrd((int) keys[i]).length;
                return;
            }
            long[] keys = counts.keys(0);
            for (int ord : best(outers)) {
                List<long[]> below = new ArrayList<>();
                for (long key : keys) if (key >> 32 == ord) below.add(new long[] {counts.get(key), key});
                below.sort((x, y) -> x[0] != y[0] ? Long.compare(y[0], x[0]) : Long.compare(x[1], y[1]));
                result += outer.lookupOrd(ord).length;
                for (int i = 0; i < Math.min(BUCKETS, below.size()); i++) result += inner.lookupOrd((int) below.get(i)[1]).length;
            }
        }
    }

    // best are the ordinals with the largest counts.
    static int[] best(long[] counts) {
        long[] order = new long[counts.length];
        int n = 0;
        for (int i = 0; i < counts.length; i++) if (counts[i] > 0) order[n++] = counts[i] << 32 | (Integer.MAX_VALUE - i);
        Arrays.sort(order, 0, n);
        int[] out = new int[Math.min(n, BUCKETS)];
        for (int i = 0; i < out.length; i++) out[i] = Integer.MAX_VALUE - (int) order[n - 1 - i];
        return out;
    }

    // TopHits keeps the best match of each value.
    static final class TopHits extends Aggregation {
        final Lucene.Searcher searcher;
        final String field;
        SortedDocValues values;
        LeafReaderContext context;
        Scorable scorer;
        long[] counts;
        TopScoreDocCollector[] tops;
        LeafCollector[] leaves;

        TopHits(Lucene.Searcher searcher, String field) {
            this.searcher = searcher;
            this.field = field;
        }

        @Override
        public ScoreMode scoreMode() {
            return ScoreMode.COMPLETE;
        }

        @Override
        protected void doSetNextReader(LeafReaderContext context) throws IOException {
            this.context = context;
            values = context.reader().getSortedDocValues(field);
            counts = new long[values.getValueCount()];
            tops = new TopScoreDocCollector[counts.length];
            leaves = new LeafCollector[counts.length];
        }

        @Override
        public void setScorer(Scorable scorer) {
            this.scorer = scorer;
        }

        @Override
        public void collect(int doc) throws IOException {
            if (!values.advanceExact(doc)) return;
            int ord = values.ordValue();
            if (counts[ord]++ == 0) {
                tops[ord] = TopScoreDocCollector.create(1, Integer.MAX_VALUE);
                leaves[ord] = tops[ord].getLeafCollector(context);
                leaves[ord].setScorer(scorer);
            }
            leaves[ord].collect(doc);
        }

        @Override
        void end() throws IOException {
            for (int ord : best(counts)) {
                ScoreDoc[] hits = tops[ord].topDocs().scoreDocs;
                searcher.fetch(hits);
                result += values.lookupOrd(ord).length + hits.length;
            }
        }
    }

    // Significant scores values by how much more frequent they are among the matches (JLH).
    static final class Significant extends Aggregation {
        static final int LEAST = 3;
        final Lucene.Searcher searcher;
        final String field;
        SortedDocValues values;
        long[] counts;
        long matches;

        Significant(Lucene.Searcher searcher, String field) {
            this.searcher = searcher;
            this.field = field;
        }

        @Override
        protected void doSetNextReader(LeafReaderContext context) throws IOException {
            values = context.reader().getSortedDocValues(field);
            counts = new long[values.getValueCount()];
        }

        @Override
        public void collect(int doc) throws IOException {
            matches++;
            if (values.advanceExact(doc)) counts[values.ordValue()]++;
        }

        @Override
        void end() throws IOException {
            List<double[]> scored = new ArrayList<>();
            double all = searcher.reader.maxDoc();
            for (int ord = 0; ord < counts.length; ord++) {
                if (counts[ord] < LEAST) continue;
                BytesRef value = values.lookupOrd(ord);
                double here = counts[ord] / (double) matches, everywhere = searcher.reader.docFreq(new Term(field, value)) / all;
                if (here > everywhere) scored.add(new double[] {(here - everywhere) * (here / everywhere), ord});
            }
            scored.sort((x, y) -> Double.compare(y[0], x[0]));
            for (int i = 0; i < Math.min(BUCKETS, scored.size()); i++) result += values.lookupOrd((int) scored.get(i)[1]).length;
        }
    }

    // LongCounts counts keys, by open addressing.
    static final class LongCounts {
        private long[] keys = new long[64], counts = new long[64]; // a count of zero is a free place
        private int used;

        void add(long key) {
            add(key, 1);
        }

        void add(long key, long n) {
            int i = place(key);
            counts[i] += n;
            if (counts[i] > n) return;
            keys[i] = key;
            if (++used > keys.length / 2) grow();
        }

        int size() {
            return used;
        }

        long get(long key) {
            return counts[place(key)];
        }

        // keys are those with more than a count.
        long[] keys(long least) {
            long[] out = new long[used];
            int n = 0;
            for (int i = 0; i < keys.length; i++) if (counts[i] > least) out[n++] = keys[i];
            return Arrays.copyOf(out, n);
        }

        private int place(long key) {
            long hash = key * 0x9E3779B97F4A7C15L;
            int i = (int) (hash >>> 40) & keys.length - 1;
            while (counts[i] > 0 && keys[i] != key) i = i + 1 & keys.length - 1;
            return i;
        }

        private void grow() {
            long[] oldKeys = keys, oldCounts = counts;
            keys = new long[2 * oldKeys.length];
            counts = new long[keys.length];
            for (int i = 0; i < oldKeys.length; i++) {
                if (oldCounts[i] == 0) continue;
                int at = place(oldKeys[i]);
                keys[at] = oldKeys[i];
                counts[at] = oldCounts[i];
            }
        }
    }
}
