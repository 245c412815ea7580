// Collapse keeps the best document of each of the best groups. It stands in this package to read
// the documents of the groups, as Elasticsearch's collector does.

package org.apache.lucene.search.grouping;

import java.io.IOException;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.Sort;
import org.apache.lucene.util.BytesRef;

public final class Collapse extends FirstPassGroupingCollector<BytesRef> {
    public Collapse(String field, int groups) {
        super(new TermGroupSelector(field), Sort.RELEVANCE, groups);
    }

    // hits are the groups' documents, the best first.
    public ScoreDoc[] hits() throws IOException {
        if (getTopGroups(0) == null) return new ScoreDoc[0];
        ScoreDoc[] hits = new ScoreDoc[orderedGroups.size()];
        int n = 0;
        for (CollectedSearchGroup<BytesRef> group : orderedGroups) hits[n++] = new ScoreDoc(group.topDoc, 0);
        return hits;
    }
}
