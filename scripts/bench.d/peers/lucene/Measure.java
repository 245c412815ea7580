// Measure measures as the other engines do, after the compiler has seen all families.

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

final class Measure {
    static final long WARM = 1500; // ms a family, before anything is measured
    final long least, most;

    Measure(long least, long most) {
        this.least = least;
        this.most = most;
    }

    void run(Lucene.Searcher searcher, List<String[]> queries) throws IOException {
        Map<String, List<Lucene.Answer>> families = new java.util.LinkedHashMap<>();
        for (String[] q : queries) {
            Lucene.Answer answer = searcher.prepare(q);
            if (answer != null) families.computeIfAbsent(q[0], name -> new ArrayList<>()).add(answer);
        }
        Map<String, List<Long>> totals = new HashMap<>();
        for (var family : families.entrySet()) totals.put(family.getKey(), cut(family.getValue()));
        long warm = Math.min(WARM, 4 * least);
        for (var answers : families.values()) {
            cpu(answers, false, warm);
            cpu(answers, true, warm);
        }
        for (var family : families.entrySet()) report(family.getKey(), family.getValue(), totals.get(family.getKey()));
    }

    // cut drops the queries there is no time for, judged by their second answers.
    List<Long> cut(List<Lucene.Answer> answers) throws IOException {
        List<Long> totals = new ArrayList<>();
        long spent = 0;
        for (Lucene.Answer a : answers) {
            if (totals.size() >= 3 && spent > most * 1_000_000) break;
            a.run(false);
            long start = System.nanoTime();
            totals.add(a.run(false));
            spent += System.nanoTime() - start;
        }
        answers.subList(totals.size(), answers.size()).clear();
        return totals;
    }

    void report(String name, List<Lucene.Answer> answers, List<Long> totals) throws IOException {
        cpu(answers, false, least);
        cpu(answers, true, least);
        long one = cpu(answers, false, least), two = cpu(answers, true, least);
        long[] times = latencies(answers, two < one);
        StringBuilder line = new StringBuilder();
        line.append("family\t").append(name).append('\t').append(answers.size()).append('\t').append(Math.min(one, two));
        line.append('\t').append(quantile(times, 0.5)).append('\t').append(quantile(times, 0.99));
        for (long total : totals) line.append('\t').append(total);
        System.out.println(line);
    }

    static long quantile(long[] sorted, double q) {
        return sorted[(int) (q * (sorted.length - 1))];
    }

    // cpu returns the processor time of one query in ns.
    long cpu(List<Lucene.Answer> answers, boolean apart, long least) throws IOException {
        var threads = ManagementFactory.getThreadMXBean();
        long start = System.nanoTime(), used = threads.getCurrentThreadCpuTime(), passes = 0;
        do {
            for (Lucene.Answer a : answers) a.run(apart);
            passes++;
        } while (System.nanoTime() - start < least * 1_000_000);
        return (threads.getCurrentThreadCpuTime() - used) / (passes * answers.size());
    }

    long[] latencies(List<Lucene.Answer> answers, boolean apart) throws IOException {
        long[] times = new long[answers.size()];
        int n = 0;
        long start = System.nanoTime();
        do {
            if (n + answers.size() > times.length) times = Arrays.copyOf(times, 2 * times.length);
            for (Lucene.Answer a : answers) {
                long begin = System.nanoTime();
                a.run(apart);
                times[n++] = System.nanoTime() - begin;
            }
        } while (System.nanoTime() - start < least * 1_000_000);
        times = Arrays.copyOf(times, n);
        Arrays.sort(times);
        return times;
    }
}
