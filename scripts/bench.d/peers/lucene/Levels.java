// Levels counts the values of several fields, each within those of the one before.

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.io.IOException;
import java.util.Arrays;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.SortedDocValues;

final class Levels extends Aggregations.Aggregation {
    final String[] fields;
    final SortedDocValues[] values;
    final Buckets[] levels;

    Levels(String[] fields) {
        this.fields = fields;
        values = new SortedDocValues[fields.length];
        levels = new Buckets[fields.length];
        for (int i = 0; i < levels.length; i++) levels[i] = new Buckets();
    }

    @Override
    protected void doSetNextReader(LeafReaderContext context) throws IOException {
        for (int i = 0; i < fields.length; i++) values[i] = context.reader().getSortedDocValues(fields[i] + Lucene.WHOLE);
    }

    @Override
    public void collect(int doc) throws IOException {
        long bucket = 0;
        for (int i = 0; i < levels.length && values[i].advanceExact(doc); i++) bucket = levels[i].add(bucket << 32 | values[i].ordValue());
    }

    @Override
    void end() throws IOException {
        for (Buckets level : levels) level.link();
        StringBuilder out = new StringBuilder();
        write(out, 0, 0);
        result = out.length();
    }

    // write writes the most frequent values within a bucket of the level before.
    void write(StringBuilder out, int level, int parent) throws IOException {
        Buckets all = levels[level];
        int[] best = new int[Aggregations.BUCKETS];
        int n = 0, others = 0;
        for (int b = all.first(parent); b >= 0; b = all.next[b]) {
            others += all.counts[b];
            int at = n < best.length ? n++ : n;
            for (; at > 0 && all.before(b, best[at - 1]); at--) if (at < best.length) best[at] = best[at - 1];
            if (at < best.length) best[at] = b;
        }
        for (int i = 0; i < n; i++) others -= all.counts[best[i]];
        out.append("{\"doc_count_error_upper_bound\":0,\"sum_other_doc_count\":").append(others).append(",\"buckets\":[");
        for (int i = 0; i < n; i++) {
            if (i > 0) out.append(',');
            JsonStringEncoder.getInstance().quoteAsString(values[level].lookupOrd((int) all.keys[best[i]]).utf8ToString(), out.append("{\"key\":\""));
            out.append("\",\"doc_count\":").append(all.counts[best[i]]);
            if (level + 1 < levels.length) write(out.append(",\"inner\":"), level + 1, best[i]);
            out.append('}');
        }
        out.append("]}");
    }

    // Buckets numbers keys in the order in which they come, and counts them. A key is the number of a
    // bucket of the level before and an ordinal.
    static final class Buckets {
        private int[] table = new int[64]; // a number and one more, by open addressing
        long[] keys = new long[32];
        int[] counts = new int[32], next, firsts;
        int used;

        int add(long key) {
            int i = place(key);
            if (table[i] == 0) {
                if (used == keys.length) {
                    grow();
                    i = place(key);
                }
                keys[used] = key;
                table[i] = ++used;
            }
            counts[table[i] - 1]++;
            return table[i] - 1;
        }

        private int place(long key) {
            int i = (int) (key * 0x9E3779B97F4A7C15L >>> 40) & table.length - 1;
            while (table[i] > 0 && keys[table[i] - 1] != key) i = i + 1 & table.length - 1;
            return i;
        }

        private void grow() {
            keys = Arrays.copyOf(keys, 2 * used);
            counts = Arrays.copyOf(counts, 2 * used);
            table = new int[4 * used];
            for (int n = 0; n < used; n++) table[place(keys[n])] = n + 1;
        }

        // link lists the buckets within each bucket of the level before.
        void link() {
            int parents = 0;
            for (int b = 0; b < used; b++) parents = Math.max(parents, 1 + (int) (keys[b] >> 32));
            firsts = new int[parents];
            next = new int[used];
            Arrays.fill(firsts, -1);
            for (int b = 0; b < used; b++) {
                next[b] = firsts[(int) (keys[b] >> 32)];
                firsts[(int) (keys[b] >> 32)] = b;
            }
        }

        int first(int parent) {
            return parent < firsts.length ? firsts[parent] : -1;
        }

        boolean before(int a, int b) {
            return counts[a] != counts[b] ? counts[a] > counts[b] : (int) keys[a] < (int) keys[b];
        }
    }
}
