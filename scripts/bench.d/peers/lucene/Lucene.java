// Lucene puts Lucene 8 into the search benchmark, set up as well as it can be: one
// segment, mapped; the items' JSON in doc values, which are faster to fetch than stored
// fields; no query cache, as every query is asked again and again; one thread. Where
// counting and ranking apart (so that ranking may skip blocks of postings) is cheaper
// than both in one pass, the cheaper way is measured.
//
// It takes the flags and prints the report of the other engines. Its processor time is
// only the searching thread's, without the compiler and the collector.

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.LowerCaseFilter;
import org.apache.lucene.analysis.standard.StandardTokenizer;
import org.apache.lucene.document.BinaryDocValuesField;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.DoublePoint;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.LongPoint;
import org.apache.lucene.document.NumericDocValuesField;
import org.apache.lucene.document.SortedDocValuesField;
import org.apache.lucene.document.SortedNumericDocValuesField;
import org.apache.lucene.document.SortedSetDocValuesField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.BinaryDocValues;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.LeafReader;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.SortedDocValues;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.Collector;
import org.apache.lucene.search.DisjunctionMaxQuery;
import org.apache.lucene.search.FieldDoc;
import org.apache.lucene.search.IndexOrDocValuesQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.MatchAllDocsQuery;
import org.apache.lucene.search.MultiCollector;
import org.apache.lucene.search.PhraseQuery;
import org.apache.lucene.search.PrefixQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.ScoreMode;
import org.apache.lucene.search.SimpleCollector;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.SortField;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.TopDocsCollector;
import org.apache.lucene.search.TopFieldCollector;
import org.apache.lucene.search.TopScoreDocCollector;
import org.apache.lucene.search.TotalHitCountCollector;
import org.apache.lucene.search.WildcardQuery;
import org.apache.lucene.search.grouping.Collapse;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.MMapDirectory;
import org.apache.lucene.util.BytesRef;

public final class Lucene {
    static final int HITS = 10;
    static final int LONGEST_TERM = 32766; // bytes
    static final String WHOLE = ".keyword", FOLDED = ".folded", JSON = "_json";

    public static void main(String[] args) throws Exception {
        Map<String, String> flags = new HashMap<>();
        for (int i = 1; i + 1 < args.length; i += 2) flags.put(args[i], args[i + 1]);
        Path work = Paths.get(flags.get("-work")), index = Paths.get(flags.get("-index"));
        Fields fields = new Fields(work.resolve("fields.tsv"));
        if (args[0].equals("build")) {
            build(work.resolve("items.cut"), fields, index);
            return;
        }
        List<String[]> queries = new ArrayList<>();
        for (String line : Files.readAllLines(work.resolve("queries.tsv"))) queries.add(line.split("\t", -1));
        long start = System.nanoTime();
        Searcher searcher = new Searcher(index, fields, work.resolve("items.cut"));
        long opened = System.nanoTime() - start;
        searcher.prepare(queries.get(0)).run(false);
        System.out.printf("open\t%d\t%d%n", opened, System.nanoTime() - start);
        new Measure(millis(flags.get("-least")), millis(flags.get("-most"))).run(searcher, queries);
        System.out.printf("memory\t%s\t%s%n", status("RssAnon"), status("RssFile"));
    }

    static long millis(String duration) {
        return Long.parseLong(duration.substring(0, duration.length() - 2));
    }

    static String status(String name) throws IOException {
        for (String line : Files.readAllLines(Paths.get("/proc/self/status")))
            if (line.startsWith(name + ":")) return line.replaceAll("[^0-9]", "");
        return "0";
    }

    // Fields is the mapping: paths by number, and their types.
    static final class Fields {
        final List<String> paths = new ArrayList<>(), types = new ArrayList<>();

        Fields(Path file) throws IOException {
            for (String line : Files.readAllLines(file)) {
                String[] cells = line.split("\t");
                paths.add(cells[0]);
                types.add(cells[1]);
            }
        }

        // The members of an item itself have one value; below Data there may be arrays.
        boolean single(int field) {
            return !paths.get(field).startsWith("Data.");
        }
    }

    static Analyzer analyzer() {
        return new Analyzer() {
            @Override
            protected TokenStreamComponents createComponents(String field) {
                StandardTokenizer words = new StandardTokenizer();
                return new TokenStreamComponents(words, new LowerCaseFilter(words));
            }

            @Override
            public int getPositionIncrementGap(String field) {
                return 100;
            }
        };
    }

    static void build(Path items, Fields fields, Path dir) throws IOException {
        long start = System.nanoTime();
        IndexWriterConfig config = new IndexWriterConfig(analyzer());
        config.setRAMBufferSizeMB(256);
        try (Directory d = new MMapDirectory(dir);
                IndexWriter writer = new IndexWriter(d, config);
                DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(items), 1 << 20))) {
            for (int n = in.readInt(); n > 0; n--) writer.addDocument(document(in, fields));
            writer.forceMerge(1);
            writer.commit();
        }
        long wall = System.nanoTime() - start, bytes = 0;
        try (var files = Files.list(dir)) {
            bytes = files.mapToLong(f -> f.toFile().length()).sum();
        }
        var os = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        System.out.printf("build\t%d\t%d\t%d\t%s%n", wall, os.getProcessCpuTime(), bytes, status("VmHWM"));
    }

    static Document document(DataInputStream in, Fields fields) throws IOException {
        Document doc = new Document();
        doc.add(new BinaryDocValuesField(JSON, new BytesRef(bytes(in))));
        for (int n = in.readInt(); n > 0; n--) {
            int field = in.readInt();
            add(doc, fields, field, new String(bytes(in), StandardCharsets.UTF_8));
        }
        return doc;
    }

    static byte[] bytes(DataInputStream in) throws IOException {
        byte[] b = new byte[in.readInt()];
        in.readFully(b);
        return b;
    }

    static void add(Document doc, Fields fields, int field, String text) {
        String path = fields.paths.get(field);
        boolean single = fields.single(field);
        switch (fields.types.get(field)) {
            case "date":
                long ms = Long.parseLong(text);
                doc.add(new LongPoint(path, ms));
                doc.add(single ? new NumericDocValuesField(path, ms) : new SortedNumericDocValuesField(path, ms));
                return;
            case "number":
                double number = Double.parseDouble(text);
                doc.add(new DoublePoint(path, number));
                doc.add(new SortedNumericDocValuesField(path, Double.doubleToRawLongBits(number)));
                return;
            case "boolean":
                whole(doc, path, text, false);
                return;
            default:
                doc.add(new TextField(path, text, Field.Store.NO));
                whole(doc, path + WHOLE, text, single);
                if (path.equals("Name") || path.equals("Data.title"))
                    doc.add(new StringField(path + FOLDED, text.toLowerCase(java.util.Locale.ROOT), Field.Store.NO));
        }
    }

    static void whole(Document doc, String path, String text, boolean single) {
        BytesRef value = new BytesRef(text);
        if (value.length > LONGEST_TERM) return;
        doc.add(new StringField(path, value, Field.Store.NO));
        doc.add(single ? new SortedDocValuesField(path, value) : new SortedSetDocValuesField(path, value));
    }

    // Answer is a prepared query.
    static class Answer {
        final Searcher searcher;
        final Query query;
        Sort sort; // null: by relevance
        int from;
        String group; // the field whose values are counted, or null
        Aggregations.Extra extra; // another aggregation, or null
        Constructs.Highlighter highlight; // of the hits, or null
        String collapse; // the field of which each value has one hit, or null
        FieldDoc after; // what the hits come after, or null
        Made made; // makes the query again for each run, or null
        long seen; // what aggregations found, so that none can be left out

        Answer(Searcher searcher, Query query) {
            this.searcher = searcher;
            this.query = query;
        }

        interface Made {
            Query query() throws IOException;
        }

        // show reads what a hit shows.
        void show(ScoreDoc[] hits) throws IOException {
            searcher.fetch(hits);
        }

        // run answers, apart: counting and ranking one after the other.
        long run(boolean apart) throws IOException {
            Query query = made == null ? this.query : made.query();
            if (collapse != null) return collapsed(query);
            if (apart && sort == null && query instanceof MatchAllDocsQuery) apart = false;
            long total = apart ? searcher.index.count(query) : 0;
            TopDocsCollector<?> top = top(apart ? 1 : Integer.MAX_VALUE);
            Counter counter = group == null ? null : new Counter(group);
            Aggregations.Aggregation aggregation = extra == null ? null : extra.begin();
            Collector more = counter != null ? counter : aggregation;
            if (more != null && apart) searcher.index.search(query, more);
            Collector all = more != null && !apart ? MultiCollector.wrap(top, more) : top;
            searcher.index.search(query, all);
            TopDocs hits = top.topDocs(from, HITS);
            show(hits.scoreDocs);
            if (highlight != null) seen += highlight.of(query, hits).length;
            if (counter != null) counter.best(10);
            if (aggregation != null) {
                aggregation.end();
                seen += aggregation.result;
            }
            return apart ? total : top.getTotalHits();
        }

        long collapsed(Query query) throws IOException {
            TotalHitCountCollector total = new TotalHitCountCollector();
            Collapse groups = new Collapse(collapse, HITS);
            searcher.index.search(query, MultiCollector.wrap(groups, total));
            searcher.fetch(groups.hits());
            return total.getTotalHits();
        }

        TopDocsCollector<?> top(int threshold) {
            if (sort == null) return TopScoreDocCollector.create(from + HITS, threshold);
            return TopFieldCollector.create(sort, from + HITS, after, threshold);
        }
    }

    // Counter counts the values of a field over all matches.
    static final class Counter extends SimpleCollector {
        final String field;
        SortedDocValues values;
        int[] counts;

        Counter(String field) {
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
        public ScoreMode scoreMode() {
            return ScoreMode.COMPLETE_NO_SCORES;
        }

        // best returns the most frequent values.
        List<String> best(int n) throws IOException {
            long[] order = new long[counts.length];
            for (int i = 0; i < counts.length; i++) order[i] = ((long) counts[i] << 32) | (Integer.MAX_VALUE - i);
            Arrays.sort(order);
            List<String> out = new ArrayList<>(n);
            for (int i = order.length - 1; i >= 0 && out.size() < n && order[i] >> 32 > 0; i--)
                out.add(values.lookupOrd(Integer.MAX_VALUE - (int) order[i]).utf8ToString());
            return out;
        }
    }

    // COMMON are the kinds of queries that all engines have.
    static final List<String> COMMON = List.of("word", "and", "or", "mixed", "not", "phrase", "prefix", "contains", "filter",
        "range", "deep", "aggregate", "id", "anywhere", "both");

    static final class Searcher {
        final Fields fields;
        final IndexSearcher index;
        final LeafReader reader;
        final Analyzer analyzer = analyzer();
        final Path items;
        byte[] buffer = new byte[1 << 20];
        List<String> texts; // of one field, by document

        Searcher(Path dir, Fields fields, Path items) throws IOException {
            this.fields = fields;
            this.items = items;
            DirectoryReader all = DirectoryReader.open(new MMapDirectory(dir));
            index = new IndexSearcher(all);
            index.setQueryCache(null);
            reader = all.leaves().get(0).reader();
        }

        // loadTexts reads the texts of a field, once.
        void loadTexts(String path) throws IOException {
            if (texts != null) return;
            texts = new ArrayList<>();
            try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(items), 1 << 20))) {
                for (int n = in.readInt(); n > 0; n--) {
                    bytes(in);
                    StringBuilder text = new StringBuilder();
                    for (int m = in.readInt(); m > 0; m--) {
                        boolean wanted = fields.paths.get(in.readInt()).equals(path);
                        byte[] value = bytes(in);
                        if (!wanted) continue;
                        if (text.length() > 0) text.append('\0');
                        text.append(new String(value, StandardCharsets.UTF_8));
                    }
                    texts.add(text.toString());
                }
            }
        }

        // fetch copies the JSON of the hits.
        void fetch(ScoreDoc[] hits) throws IOException {
            BinaryDocValues json = null;
            int used = 0;
            for (ScoreDoc hit : hits) {
                if (json == null || hit.doc < json.docID()) json = reader.getBinaryDocValues(JSON);
                json.advanceExact(hit.doc);
                BytesRef item = json.binaryValue();
                if (used + item.length > buffer.length) buffer = Arrays.copyOf(buffer, 2 * (used + item.length));
                System.arraycopy(item.bytes, item.offset, buffer, used, item.length);
                used += item.length;
            }
        }

        // prepare reads a line: family, kind, body, arguments.
        Answer prepare(String[] line) throws IOException {
            String[] a = Arrays.copyOfRange(line, 3, line.length);
            Answer search = Searches.prepare(this, line[1], a);
            if (search != null) return search;
            if (!COMMON.contains(line[1])) return Constructs.prepare(this, line[1], a);
            Answer answer = new Answer(this, query(line[1], a));
            switch (line[1]) {
                case "range":
                    answer.sort = new Sort(new SortField(a[3], SortField.Type.LONG, true));
                    break;
                case "deep":
                    answer.sort = new Sort(new SortField(a[0] + WHOLE, SortField.Type.STRING));
                    answer.from = Integer.parseInt(a[1]);
                    break;
                case "aggregate":
                    answer.group = a[2] + WHOLE;
                    break;
                default:
            }
            return answer;
        }

        Query query(String kind, String[] a) {
            switch (kind) {
                case "and":
                    return bool(Occur.MUST, term(a[0], a[1]), Occur.MUST, term(a[0], a[2]));
                case "or":
                    return bool(Occur.SHOULD, term(a[0], a[1]), Occur.SHOULD, term(a[0], a[2]));
                case "mixed":
                    Query either = bool(Occur.SHOULD, term(a[0], a[1]), Occur.SHOULD, term(a[0], a[2]));
                    return bool(Occur.MUST, either, Occur.MUST, term(a[0], a[3]));
                case "not":
                    return bool(Occur.MUST, term(a[0], a[1]), Occur.MUST_NOT, term(a[0], a[2]));
                case "phrase":
                    return new PhraseQuery(a[0], a[1], a[2]);
                case "prefix":
                    return new PrefixQuery(new Term(a[0], a[1]));
                case "contains":
                    return new WildcardQuery(new Term(a[0] + FOLDED, "*" + a[1] + "*"));
                case "filter":
                    return bool(Occur.MUST, term(a[0], a[1]), Occur.FILTER, term("TemplateName" + WHOLE, a[2]));
                case "range":
                    long from = Long.parseLong(a[1]), to = Long.parseLong(a[2]);
                    return new IndexOrDocValuesQuery(LongPoint.newRangeQuery(a[0], from, to),
                        NumericDocValuesField.newSlowRangeQuery(a[0], from, to));
                case "deep":
                    return new MatchAllDocsQuery();
                case "id":
                    return term("ContentID" + WHOLE, a[0]);
                case "anywhere":
                    return anywhere(a[0]);
                case "both":
                    return bool(Occur.MUST, anywhere(a[0]), Occur.MUST, anywhere(a[1]));
                default:
                    return term(a[0], a[1]);
            }
        }

        static Query term(String field, String text) {
            return new TermQuery(new Term(field, text));
        }

        static Query bool(Occur o1, Query q1, Occur o2, Query q2) {
            return new BooleanQuery.Builder().add(q1, o1).add(q2, o2).build();
        }

        // anywhere looks into all texts, by word and as whole values; the best counts.
        Query anywhere(String word) {
            List<Query> any = new ArrayList<>();
            for (int i = 0; i < fields.paths.size(); i++) {
                if (!fields.types.get(i).equals("text")) continue;
                any.add(term(fields.paths.get(i), word));
                any.add(term(fields.paths.get(i) + WHOLE, word));
            }
            return new DisjunctionMaxQuery(any, 0);
        }
    }
}
