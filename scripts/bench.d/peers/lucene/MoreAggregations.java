// MoreAggregations are loops over doc values as those of Aggregations, and pipelines of their buckets.

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import com.tdunning.math.stats.AVLTreeDigest;
import java.io.IOException;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Locale;
import org.apache.lucene.index.DocValues;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.NumericDocValues;
import org.apache.lucene.index.SortedDocValues;
import org.apache.lucene.index.SortedNumericDocValues;
import org.apache.lucene.index.SortedSetDocValues;
import org.apache.lucene.search.DocIdSetIterator;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreMode;
import org.apache.lucene.search.Scorer;
import org.apache.lucene.search.Weight;

final class MoreAggregations {
    static final int BEST_MONTHS = 5, RAREST = 1;
    static final long DAY = 24 * 3600 * 1000L;
    static final double SIGMA = 2;

    static Aggregations.Extra of(Lucene.Searcher s, String kind, String[] a) throws IOException {
        switch (kind) {
            case "dateranges":
                long x = Long.parseLong(a[3]), y = Long.parseLong(a[4]), z = Long.parseLong(a[5]);
                long[] from = {Long.MIN_VALUE, x, y, z}, to = {x, y, z, Long.MAX_VALUE};
                return () -> new Dates(a[2]) {
                    final long[] counts = new long[from.length];

                    @Override
                    void value(int doc, long ms) {
                        for (int i = 0; i < from.length; i++) if (ms >= from[i] && ms < to[i]) counts[i]++;
                    }

                    @Override
                    void end() {
                        result = counts[0];
                    }
                };
            case "filters":
                String values = a[3] + Lucene.WHOLE;
                Query[] filters = {Constructs.term(values, a[4]), Constructs.term(values, a[5]), Constructs.term(a[2], a[6])};
                return () -> new Filters(s, filters);
            case "missing":
                return () -> new Missing(a[2] + Lucene.WHOLE);
            case "rare":
                return () -> new Rare(a[2] + Lucene.WHOLE);
            case "autodates":
                AutoDates.Unit[] units = AutoDates.units(Constructs.months(s.reader, a[2]));
                return () -> new AutoDates(a[2], units);
            case "extended":
                return () -> new Extended(a[2]);
            case "weighted":
                return () -> new Weighted(a[2], a[3]);
            case "ranks":
                double[] ranks = {Double.parseDouble(a[3]), Double.parseDouble(a[4]), Double.parseDouble(a[5])};
                return () -> new Aggregations.Numbers(a[2]) {
                    final AVLTreeDigest digest = new AVLTreeDigest(100);

                    @Override
                    void value(double v) {
                        digest.add(v);
                    }

                    @Override
                    void end() {
                        for (double rank : ranks) result += (long) (100 * digest.cdf(rank));
                    }
                };
            case "bestmonths": case "changes":
                long[] starts = Constructs.months(s.reader, a[2]);
                return () -> new Sums(a[2], a[3], months(starts[0], starts[starts.length - 1]), kind.equals("changes"));
            case "fivelevels":
                return () -> new Levels(Arrays.copyOfRange(a, 2, a.length));
            default:
                return null;
        }
    }

    // months are the starts of all months from one to another: Elasticsearch too prepares them for each
    // request, from the least and the greatest date of the field.
    static long[] months(long first, long last) {
        LocalDate month = Instant.ofEpochMilli(first).atZone(ZoneOffset.UTC).toLocalDate();
        long[] starts = new long[(int) ((last - first) / (28 * DAY)) + 1];
        int n = 0;
        for (; month.toEpochDay() * DAY <= last; month = month.plusMonths(1)) starts[n++] = month.toEpochDay() * DAY;
        return Arrays.copyOf(starts, n);
    }

    // Dates visits the date of each match.
    abstract static class Dates extends Aggregations.Aggregation {
        final String field;
        NumericDocValues values;

        Dates(String field) {
            this.field = field;
        }

        abstract void value(int doc, long ms) throws IOException;

        @Override
        protected void doSetNextReader(LeafReaderContext context) throws IOException {
            values = context.reader().getNumericDocValues(field);
        }

        @Override
        public void collect(int doc) throws IOException {
            if (values.advanceExact(doc)) value(doc, values.longValue());
        }
    }

    // Filters counts the matches that queries match too, and those that none does.
    static final class Filters extends Aggregations.Aggregation {
        final Lucene.Searcher searcher;
        final Query[] queries;
        final DocIdSetIterator[] docs;
        final long[] counts;

        Filters(Lucene.Searcher searcher, Query[] queries) {
            this.searcher = searcher;
            this.queries = queries;
            docs = new DocIdSetIterator[queries.length];
            counts = new long[queries.length + 1];
        }

        @Override
        protected void doSetNextReader(LeafReaderContext context) throws IOException {
            for (int i = 0; i < queries.length; i++) {
                Weight weight = searcher.index.createWeight(queries[i], ScoreMode.COMPLETE_NO_SCORES, 1);
                Scorer scorer = weight.scorer(context);
                docs[i] = scorer == null ? DocIdSetIterator.empty() : scorer.iterator();
            }
        }

        @Override
        public void collect(int doc) throws IOException {
            boolean other = true;
            for (int i = 0; i < docs.length; i++) {
                if (docs[i].docID() < doc) docs[i].advance(doc);
                if (docs[i].docID() != doc) continue;
                counts[i]++;
                other = false;
            }
            if (other) counts[docs.length]++;
        }

        @Override
        void end() {
            result = counts[0];
        }
    }

    // Missing counts the matches without a value.
    static final class Missing extends Aggregations.Aggregation {
        final String field;
        SortedSetDocValues values;

        Missing(String field) {
            this.field = field;
        }

        @Override
        protected void doSetNextReader(LeafReaderContext context) throws IOException {
            values = DocValues.getSortedSet(context.reader(), field);
        }

        @Override
        public void collect(int doc) throws IOException {
            if (!values.advanceExact(doc)) result++;
        }

        @Override
        void end() {}
    }

    // Rare writes the values of the fewest matches.
    static final class Rare extends Aggregations.Aggregation {
        final String field;
        SortedDocValues values;
        int[] counts;

        Rare(String field) {
            this.field = field;
        }

        @Override
        protected void doSetNextReader(LeafReaderContext context) throws IOException {
            values = context.reader().getSortedDocValues(field);
            counts = new int[values.getValueCount()];
        }

        @Override
        public void collect(int doc) throws IOException {
            if (values.advanceExact(doc)) counts[values.ordValue()]++;
        }

        @Override
        void end() throws IOException {
            StringBuilder out = new StringBuilder();
            for (int ord = 0; ord < counts.length; ord++) {
                if (counts[ord] == 0 || counts[ord] > RAREST) continue;
                JsonStringEncoder.getInstance().quoteAsString(values.lookupOrd(ord).utf8ToString(), out.append("{\"key\":\""));
                out.append("\",\"doc_count\":").append(counts[ord]).append("},");
            }
            result = out.length();
        }
    }

    // AutoDates counts dates by the shortest unit that gives few buckets, as Elasticsearch's: when there
    // are too many, by the next unit.
    static final class AutoDates extends Dates {
        static final int BUCKETS = 10;

        // Unit is a unit of intervals, of a length in ms or with known starts; a bucket may be several.
        static final class Unit {
            final long length, about;
            final long[] starts;
            final int[] multiples;

            Unit(long length, long about, long[] starts, int... multiples) {
                this.length = length;
                this.about = about;
                this.starts = starts;
                this.multiples = multiples;
            }

            long floor(long ms) {
                if (starts == null) return ms - Math.floorMod(ms, length);
                int at = Arrays.binarySearch(starts, ms);
                return starts[at < 0 ? -2 - at : at];
            }

            int most() {
                return BUCKETS * multiples[multiples.length - 1];
            }
        }

        static Unit[] units(long[] months) {
            long second = 1000, minute = 60 * second, hour = 60 * minute, day = 24 * hour;
            long[] years = Arrays.stream(months).map(ms -> Instant.ofEpochMilli(ms).atZone(ZoneOffset.UTC).withDayOfYear(1).toInstant().toEpochMilli()).distinct().toArray();
            return new Unit[] {new Unit(second, second, null, 1, 5, 10, 30), new Unit(minute, minute, null, 1, 5, 10, 30), new Unit(hour, hour, null, 1, 3, 12),
                new Unit(day, day, null, 1, 7), new Unit(0, 30 * day, months, 1, 3), new Unit(0, 365 * day, years, 1, 5, 10, 20, 50, 100)};
        }

        final Unit[] units;
        int unit;
        long least = Long.MAX_VALUE, most = Long.MIN_VALUE;
        Aggregations.LongCounts counts = new Aggregations.LongCounts();

        AutoDates(String field, Unit[] units) {
            super(field);
            this.units = units;
        }

        @Override
        void value(int doc, long ms) {
            long key = units[unit].floor(ms);
            counts.add(key);
            if (key >= least && key <= most && counts.size() <= units[unit].most()) return;
            least = Math.min(least, key);
            most = Math.max(most, key);
            while (unit + 1 < units.length && (counts.size() > units[unit].most() || most - least > units[unit].most() * units[unit].about)) {
                unit++;
                Aggregations.LongCounts longer = new Aggregations.LongCounts();
                for (long k : counts.keys(0)) longer.add(units[unit].floor(k), counts.get(k));
                counts = longer;
                least = units[unit].floor(least);
                most = units[unit].floor(most);
            }
        }

        @Override
        void end() {
            StringBuilder out = new StringBuilder();
            if (most < least) return;
            Unit u = units[unit];
            int n = 0, multiple = 1;
            for (long key = least; key <= most; key = next(u, key)) n++;
            for (int m : u.multiples) {
                multiple = m;
                if ((n + m - 1) / m <= BUCKETS) break;
            }
            for (long key = least; key <= most; ) {
                long start = key, count = 0;
                for (int i = 0; i < multiple && key <= most; i++, key = next(u, key)) count += counts.get(key);
                out.append("{\"key_as_string\":\"").append(Aggregations.DATE.format(Instant.ofEpochMilli(start))).append("\",\"key\":").append(start)
                    .append(",\"doc_count\":").append(count).append("},");
            }
            result = out.length();
        }

        static long next(Unit u, long key) {
            if (u.starts == null) return key + u.length;
            int at = Arrays.binarySearch(u.starts, key) + 1;
            return at < u.starts.length ? u.starts[at] : Long.MAX_VALUE;
        }
    }

    // Sum adds numbers as Elasticsearch does: what is lost by rounding is carried.
    static final class Sum {
        double sum, carried;

        void add(double v) {
            double corrected = v - carried, next = sum + corrected;
            carried = next - sum - corrected;
            sum = next;
        }
    }

    static final class Extended extends Aggregations.Numbers {
        final Sum sum = new Sum(), squares = new Sum();
        long count;
        double least = Double.POSITIVE_INFINITY, most = Double.NEGATIVE_INFINITY;

        Extended(String field) {
            super(field);
        }

        @Override
        void value(double v) {
            count++;
            sum.add(v);
            squares.add(v * v);
            least = Math.min(least, v);
            most = Math.max(most, v);
        }

        @Override
        void end() {
            double mean = sum.sum / count, variance = (squares.sum - sum.sum * sum.sum / count) / count;
            double sampling = variance * count / (count - 1);
            result = (long) (least + most + mean + SIGMA * Math.sqrt(variance) + SIGMA * Math.sqrt(sampling));
        }
    }

    static final class Weighted extends Aggregations.Aggregation {
        final String field, weight;
        final Sum sum = new Sum(), total = new Sum();
        SortedNumericDocValues values, weights;

        Weighted(String field, String weight) {
            this.field = field;
            this.weight = weight;
        }

        @Override
        protected void doSetNextReader(LeafReaderContext context) throws IOException {
            values = context.reader().getSortedNumericDocValues(field);
            weights = context.reader().getSortedNumericDocValues(weight);
        }

        @Override
        public void collect(int doc) throws IOException {
            if (!values.advanceExact(doc) || !weights.advanceExact(doc)) return;
            double w = Double.longBitsToDouble(weights.nextValue());
            for (int n = values.docValueCount(); n > 0; n--) {
                sum.add(Double.longBitsToDouble(values.nextValue()) * w);
                total.add(w);
            }
        }

        @Override
        void end() {
            result = (long) (sum.sum / total.sum);
        }
    }

    // Sums adds numbers by month. It writes the months of the greatest averages, or all of them with the
    // change of their sums.
    static final class Sums extends Dates {
        final String numbers;
        final long[] starts;
        final boolean changes;
        final long[] docs, counts;
        final Sum[] sums;
        SortedNumericDocValues number;

        Sums(String field, String numbers, long[] starts, boolean changes) {
            super(field);
            this.numbers = numbers;
            this.starts = starts;
            this.changes = changes;
            docs = new long[starts.length];
            counts = new long[starts.length];
            sums = new Sum[starts.length];
            for (int i = 0; i < sums.length; i++) sums[i] = new Sum();
        }

        @Override
        protected void doSetNextReader(LeafReaderContext context) throws IOException {
            super.doSetNextReader(context);
            number = context.reader().getSortedNumericDocValues(numbers);
        }

        @Override
        void value(int doc, long ms) throws IOException {
            int at = Arrays.binarySearch(starts, ms);
            if (at < 0) at = -2 - at;
            docs[at]++;
            if (!number.advanceExact(doc)) return;
            for (int n = number.docValueCount(); n > 0; n--) {
                sums[at].add(Double.longBitsToDouble(number.nextValue()));
                counts[at]++;
            }
        }

        @Override
        void end() {
            StringBuilder out = new StringBuilder();
            if (changes) {
                changes(out);
            } else {
                Integer[] months = new Integer[starts.length];
                int n = 0;
                for (int i = 0; i < starts.length; i++) if (counts[i] > 0) months[n++] = i;
                Arrays.sort(months, 0, n, (x, y) -> Double.compare(sums[y].sum / counts[y], sums[x].sum / counts[x]));
                for (int i = 0; i < Math.min(n, BEST_MONTHS); i++) {
                    bucket(out, months[i]);
                    out.append(",\"mean\":").append(sums[months[i]].sum / counts[months[i]]).append("},");
                }
            }
            result = out.length();
        }

        void bucket(StringBuilder out, int i) {
            out.append("{\"key_as_string\":\"").append(Aggregations.DATE.format(Instant.ofEpochMilli(starts[i]))).append("\",\"key\":").append(starts[i])
                .append(",\"doc_count\":").append(docs[i]);
        }

        void changes(StringBuilder out) {
            DecimalFormat format = new DecimalFormat("#,##0.00", DecimalFormatSymbols.getInstance(Locale.ROOT));
            int first = 0, last = docs.length - 1;
            while (first < last && docs[first] == 0) first++;
            while (last > first && docs[last] == 0) last--;
            for (int i = first; i <= last; i++) {
                bucket(out, i);
                out.append(",\"sum\":").append(sums[i].sum);
                double change = i > first ? sums[i].sum - sums[i - 1].sum : 0;
                if (i > first && docs[i] > 0 && docs[i - 1] > 0) out.append(",\"change\":").append(change).append(",\"text\":\"").append(format.format(change)).append('"');
                out.append("},");
            }
        }
    }
}
