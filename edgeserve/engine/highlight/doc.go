// Package highlight marks the words of hits that a query matches, as Elasticsearch's unified and
// plain highlighters do. These are its steps by file, each with its input and its result:
//
//	highlight the highlight of a body → the fields to highlight, each with its highlighter
//	compile   the query tree → its leaves, each with its field and the words that it looks for
//	clauses   leaves → clauses, by field
//	leaves    clauses × a field → terms, phrases and automata
//	text      a hit → the values of a field
//	unified   values × leaves → passages, by sentences or words
//	plain     values × leaves → fragments of about one size
//
// Offsets are bytes of a value. Sizes in a body, and all numbers that scores depend on, are
// UTF-16 units, as in Java.
package highlight
