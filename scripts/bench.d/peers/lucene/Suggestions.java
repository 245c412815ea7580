// Suggestions are those of Elasticsearch: for words by Lucene's spell checker; for texts by a noisy
// channel over its candidates, which is Elasticsearch's own and is written here after it.

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.index.Term;
import org.apache.lucene.index.Terms;
import org.apache.lucene.index.TermsEnum;
import org.apache.lucene.search.spell.DirectSpellChecker;
import org.apache.lucene.search.spell.SuggestMode;
import org.apache.lucene.search.spell.SuggestWord;
import org.apache.lucene.util.BytesRef;
import org.apache.lucene.util.PriorityQueue;

final class Suggestions {
    static final int SIZE = 5;

    static DirectSpellChecker checker() {
        DirectSpellChecker checker = new DirectSpellChecker();
        checker.setAccuracy(0.5f);
        checker.setLowerCaseTerms(false);
        checker.setMaxEdits(2);
        checker.setMaxInspections(5);
        checker.setMaxQueryFrequency(0.01f);
        checker.setMinPrefix(1);
        checker.setMinQueryLength(4);
        checker.setThresholdFrequency(0);
        return checker;
    }

    static List<BytesRef> words(Lucene.Searcher s, String field, String text) throws IOException {
        List<BytesRef> words = new ArrayList<>();
        try (TokenStream stream = s.analyzer.tokenStream(field, text)) {
            CharTermAttribute term = stream.addAttribute(CharTermAttribute.class);
            stream.reset();
            while (stream.incrementToken()) words.add(new BytesRef(term));
            stream.end();
        }
        return words;
    }

    // Words suggests for each word of a text. The number of suggestions is its total.
    static final class Words extends Lucene.Answer {
        final String field, text;

        Words(Lucene.Searcher s, String field, String text) {
            super(s, null);
            this.field = field;
            this.text = text;
        }

        @Override
        long run(boolean apart) throws IOException {
            DirectSpellChecker checker = checker();
            long found = 0;
            for (BytesRef word : words(searcher, field, text))
                found += checker.suggestSimilar(new Term(field, word), SIZE, searcher.reader, SuggestMode.SUGGEST_WHEN_NOT_IN_INDEX).length;
            return found;
        }
    }

    // Candidate is a word that may stand at a place of the text. distance is 1 where it is written.
    static final class Candidate {
        final BytesRef term;
        final long total; // its occurrences
        final double distance, score;

        Candidate(BytesRef term, long total, double distance, double score) {
            this.term = term;
            this.total = total;
            this.distance = distance;
            this.score = score;
        }
    }

    // Correction is a suggested text.
    static final class Correction {
        double score;
        final Candidate[] path;

        Correction(double score, Candidate[] path) {
            this.score = score;
            this.path = path;
        }

        int compareTo(double otherScore, Candidate[] other) {
            if (score != otherScore) return Double.compare(score, otherScore);
            for (int i = 0; i < path.length; i++) {
                int c = other[i].term.compareTo(path[i].term);
                if (c != 0) return c;
            }
            return 0;
        }
    }

    // Phrase suggests whole texts: a noisy channel, bigrams, stupid backoff.
    static final class Phrase extends Lucene.Answer {
        static final double REAL_WORD = 0.95, CONFIDENCE = 1, DISCOUNT = 0.4, TINY = 0.00000000001;
        static final int ERRORS = 2, TOKENS = 10;
        final String field, text;

        Phrase(Lucene.Searcher s, String field, String text) {
            super(s, null);
            this.field = field;
            this.text = text;
        }

        @Override
        long run(boolean apart) throws IOException {
            List<BytesRef> words = words(searcher, field, text);
            if (words.isEmpty() || words.size() >= TOKENS) return 0;
            Run run = new Run(words);
            Correction[] best = run.best();
            long found = 0;
            for (Correction c : best) {
                StringBuilder out = new StringBuilder();
                for (Candidate w : c.path) out.append(out.length() == 0 ? "" : " ").append(w.term.utf8ToString());
                seen += out.length();
                found++;
            }
            return found;
        }

        final class Run {
            final TermsEnum terms;
            final long occurrences, distinct;
            final Map<BytesRef, Long> counts = new HashMap<>();
            final Candidate[] written;
            final Candidate[][] others;
            final Candidate[] path;
            final PriorityQueue<Correction> queue = new PriorityQueue<Correction>(SIZE) {
                @Override
                protected boolean lessThan(Correction a, Correction b) {
                    return a.compareTo(b.score, b.path) < 0;
                }
            };
            double cutoff = Double.MIN_VALUE;

            Run(List<BytesRef> words) throws IOException {
                Terms all = searcher.reader.terms(field);
                terms = all.iterator();
                occurrences = all.getSumTotalTermFreq();
                distinct = all.size();
                written = new Candidate[words.size()];
                others = new Candidate[words.size()][];
                path = new Candidate[words.size()];
                DirectSpellChecker checker = checker();
                for (int i = 0; i < words.size(); i++) {
                    BytesRef word = words.get(i);
                    written[i] = candidate(word, 1);
                    SuggestWord[] similar = checker.suggestSimilar(new Term(field, word), SIZE, searcher.reader, SuggestMode.SUGGEST_ALWAYS);
                    HashSet<Candidate> set = new HashSet<>();
                    for (SuggestWord w : similar) set.add(candidate(new BytesRef(w.string), w.score));
                    others[i] = set.toArray(new Candidate[0]);
                    Arrays.sort(others[i], (x, y) -> Double.compare(y.score, x.score));
                }
            }

            Candidate candidate(BytesRef term, double distance) throws IOException {
                long n = terms.seekExact(term) ? terms.totalTermFreq() : 0;
                return new Candidate(term, n, distance, distance * ((n + 1.0) / (occurrences + 1.0)));
            }

            Correction[] best() throws IOException {
                double score = 0;
                for (int i = 0; i < path.length; i++) {
                    path[i] = written[i];
                    score += score(i);
                }
                cutoff = Math.exp(score) * CONFIDENCE;
                find(0, ERRORS, 0);
                Correction[] best = new Correction[queue.size()];
                for (int i = best.length - 1; i >= 0; i--) best[i] = queue.pop();
                return best;
            }

            void find(int at, int left, double score) throws IOException {
                if (at == path.length) {
                    offer(Math.exp(score));
                    return;
                }
                path[at] = written[at];
                find(at + 1, left, score + score(at));
                if (left == 0) return;
                for (Candidate c : others[at]) {
                    path[at] = c;
                    find(at + 1, left - 1, score + score(at));
                }
            }

            void offer(double score) {
                if (score <= cutoff) return;
                if (queue.size() < SIZE) {
                    queue.add(new Correction(score, path.clone()));
                } else if (queue.top().compareTo(score, path) < 0) {
                    Correction top = queue.top();
                    System.arraycopy(path, 0, top.path, 0, path.length);
                    top.score = score;
                    queue.updateTop();
                }
            }

            double score(int at) throws IOException {
                double channel = path[at].distance == 1 ? REAL_WORD : path[at].distance;
                return Math.log10(channel * (at == 0 ? single(path[0]) : pair(path[at], path[at - 1])));
            }

            double single(Candidate word) throws IOException {
                return (1.0 + count(word.term)) / (occurrences + distinct);
            }

            double pair(Candidate word, Candidate before) throws IOException {
                BytesRef a = before.term, b = word.term;
                byte[] both = new byte[a.length + 1 + b.length];
                System.arraycopy(a.bytes, a.offset, both, 0, a.length);
                both[a.length] = ' ';
                System.arraycopy(b.bytes, b.offset, both, a.length + 1, b.length);
                long count = count(new BytesRef(both));
                return count < 1 ? DISCOUNT * single(word) : count / (before.total + TINY);
            }

            long count(BytesRef term) throws IOException {
                Long known = counts.get(term);
                if (known != null) return known;
                long n = terms.seekExact(term) ? terms.totalTermFreq() : 0;
                counts.put(term, n);
                return n;
            }
        }
    }
}
