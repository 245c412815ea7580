// Sqlite puts SQLite's FTS5 into the search benchmark: one full-text table with a
// column for each text, a trigram table for the fields that are searched for parts, and
// ordinary tables with indexes for the rest. A query is two prepared statements, one
// that counts and one that fetches.
package main

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	_ "github.com/mattn/go-sqlite3" // the driver

	"bench/corpus"
	"bench/engine"
	"bench/queries"
)

// indexed are the members that queries sort, filter or count by.
var indexed = []string{"ContentID", "Name", "TemplateName", "CreatedAt", "UpdatedAt"}

// partial are the fields that are searched for parts of their values.
var partial = []string{"Name", "Data.title"}

func main() {
	if err := engine.Main(peer{}, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "sqlite:", err)
		os.Exit(1)
	}
}

type peer struct{}

func open(dir, options string) (*sql.DB, error) {
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(dir, "index.db")+"?"+options)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return db, nil
}

// columns names a column for each text, c0 and so on.
func columns(fields corpus.Fields) []string {
	var names []string
	for i := range fields.Texts() {
		names = append(names, "c"+strconv.Itoa(i))
	}
	return names
}

func schema(fields corpus.Fields) []string {
	return []string{
		"CREATE TABLE body (id INTEGER PRIMARY KEY, json BLOB)",
		"CREATE TABLE meta (id INTEGER PRIMARY KEY, " + strings.Join(indexed, ", ") + ")",
		"CREATE VIRTUAL TABLE words USING fts5(" + strings.Join(columns(fields), ", ") + ", content='', tokenize='unicode61 remove_diacritics 0')",
		"CREATE VIRTUAL TABLE parts USING fts5(p0, p1, content='', tokenize='trigram')",
	}
}

func (peer) Build(items [][]byte, fields corpus.Fields, dir string) error {
	db, err := open(dir, "_journal_mode=OFF&_synchronous=OFF&_locking_mode=EXCLUSIVE")
	if err != nil {
		return err
	}
	defer db.Close()
	for _, statement := range schema(fields) {
		if _, err := db.Exec(statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	if err := fill(db, items, fields); err != nil {
		return err
	}
	finish := []string{"INSERT INTO words(words) VALUES('optimize')", "INSERT INTO parts(parts) VALUES('optimize')", "ANALYZE"}
	for i, column := range indexed {
		finish = append(finish, fmt.Sprintf("CREATE INDEX meta%d ON meta(%s)", i, column))
	}
	for _, statement := range finish {
		if _, err := db.Exec(statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// fill inserts all items in one transaction.
func fill(db *sql.DB, items [][]byte, fields corpus.Fields) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	texts := columns(fields)
	into := map[string]*sql.Stmt{}
	for table, n := range map[string]int{"body": 2, "meta": 1 + len(indexed), "words(rowid," + strings.Join(texts, ",") + ")": 1 + len(texts), "parts(rowid,p0,p1)": 3} {
		name, _, _ := strings.Cut(table, "(")
		if into[name], err = tx.Prepare("INSERT INTO " + table + " VALUES(?" + strings.Repeat(",?", n-1) + ")"); err != nil {
			return err
		}
	}
	cutter := corpus.NewCutter(fields)
	for id, item := range items {
		for table, row := range rows(cutter, fields, item) {
			if _, err := into[table].Exec(append([]any{id}, row...)...); err != nil {
				return err
			}
		}
	}
	return tx.Commit()
}

// rows returns an item's row of each table, without its id.
func rows(cutter *corpus.Cutter, fields corpus.Fields, item []byte) map[string][]any {
	values := make([]string, len(fields))
	cutter.Cut(item, func(field int, text string) {
		if values[field] != "" {
			values[field] += "\n"
		}
		values[field] += text
	})
	of := func(path string) any {
		i := fields.Index(path)
		if i < 0 {
			return nil
		}
		if n, err := strconv.ParseInt(values[i], 10, 64); err == nil && fields[i].Type == "date" {
			return n
		}
		return values[i]
	}
	out := map[string][]any{"body": {item}}
	for _, path := range indexed {
		out["meta"] = append(out["meta"], of(path))
	}
	for _, path := range fields.Texts() {
		out["words"] = append(out["words"], of(path))
	}
	for _, path := range partial {
		out["parts"] = append(out["parts"], of(path))
	}
	return out
}

type searcher struct {
	db     *sql.DB
	texts  []string
	buffer []byte
}

func (peer) Open(dir string, fields corpus.Fields) (engine.Searcher, error) {
	db, err := open(dir, "mode=ro&immutable=1")
	if err != nil {
		return nil, err
	}
	for _, statement := range []string{"PRAGMA mmap_size=1099511627776", "PRAGMA cache_size=-65536"} {
		if _, err := db.Exec(statement); err != nil {
			return nil, err
		}
	}
	return &searcher{db: db, texts: fields.Texts()}, nil
}

// request is a query as statements: where the hits' ids and count come from.
type request struct {
	hits, count, group string // group: "" but for an aggregation
	args               []any
	offset             int
}

func (s *searcher) Prepare(q queries.Query) (engine.Prepared, error) {
	if !q.Kind.Common() {
		return nil, engine.ErrUnsupported
	}
	r := s.request(q)
	hits, err := s.db.Prepare(fmt.Sprintf("SELECT body.json FROM (%s LIMIT %d OFFSET %d) AS hit JOIN body ON body.id = hit.id", r.hits, queries.Hits, r.offset))
	if err != nil {
		return nil, err
	}
	count, err := s.db.Prepare(r.count)
	if err != nil {
		return nil, err
	}
	var group *sql.Stmt
	if r.group != "" {
		if group, err = s.db.Prepare(r.group); err != nil {
			return nil, err
		}
	}
	return func() (int, error) { return s.answer(hits, count, group, r.args) }, nil
}

func (s *searcher) answer(hits, count, group *sql.Stmt, args []any) (total int, err error) {
	if err := count.QueryRow(args...).Scan(&total); err != nil {
		return 0, err
	}
	s.buffer = s.buffer[:0]
	if group != nil {
		err = s.each(group, args)
	}
	return total, errors.Join(err, s.each(hits, args))
}

// each copies the first column of the rows.
func (s *searcher) each(statement *sql.Stmt, args []any) error {
	rows, err := statement.Query(args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	var raw sql.RawBytes
	for rows.Next() {
		if err := rows.Scan(&raw); err != nil {
			return err
		}
		s.buffer = append(s.buffer, raw...)
	}
	return rows.Err()
}

func (s *searcher) request(q queries.Query) request {
	a := q.Args
	switch q.Kind {
	case queries.ID:
		return plain("WHERE ContentID = ?", "", a[0])
	case queries.Deep:
		r := plain("", "ORDER BY "+a[0])
		r.offset, _ = strconv.Atoi(a[1])
		return r
	case queries.Range:
		lo, _ := strconv.ParseInt(a[1], 10, 64)
		hi, _ := strconv.ParseInt(a[2], 10, 64)
		return plain(fmt.Sprintf("WHERE %s BETWEEN ? AND ?", a[0]), "ORDER BY "+a[3]+" DESC", lo, hi)
	case queries.Contains:
		return match("parts", fmt.Sprintf(`p%d : "%s"`, slices.Index(partial, a[0]), a[1]), "rowid")
	case queries.Anywhere:
		return match("words", quote(a[0]), "rank")
	case queries.BothAny:
		return match("words", quote(a[0])+" AND "+quote(a[1]), "rank")
	case queries.Filter:
		return s.filter(a)
	case queries.Aggregate:
		r := match("words", s.words(queries.Word, a[0], a[1:2]), "rank")
		r.group = "SELECT " + a[2] + " || count(*) FROM words JOIN meta ON meta.id = words.rowid WHERE words MATCH ? GROUP BY " + a[2] + " ORDER BY count(*) DESC LIMIT 10"
		return r
	}
	return match("words", s.words(q.Kind, a[0], a[1:]), order(q.Kind))
}

// order is by relevance, but for a prefix, which scores nothing elsewhere either.
func order(kind queries.Kind) string {
	if kind == queries.Prefix {
		return "rowid"
	}
	return "rank"
}

// plain answers from the ordinary table.
func plain(where, order string, args ...any) request {
	return request{hits: "SELECT id FROM meta " + where + " " + order, count: "SELECT count(*) FROM meta " + where, args: args}
}

// match answers from a full-text table.
func match(table, text, order string) request {
	return request{
		hits:  fmt.Sprintf("SELECT rowid AS id FROM %s WHERE %s MATCH ? ORDER BY %s", table, table, order),
		count: fmt.Sprintf("SELECT count(*) FROM %s WHERE %s MATCH ?", table, table),
		args:  []any{text},
	}
}

func (s *searcher) filter(a []string) request {
	const from = "FROM words JOIN meta ON meta.id = words.rowid WHERE words MATCH ? AND TemplateName = ?"
	return request{
		hits:  "SELECT words.rowid AS id " + from + " ORDER BY rank",
		count: "SELECT count(*) " + from,
		args:  []any{s.words(queries.Word, a[0], a[1:2]), a[2]},
	}
}

func quote(word string) string { return `"` + word + `"` }

// words writes a full-text expression on the column of a path.
func (s *searcher) words(kind queries.Kind, path string, a []string) string {
	column := fmt.Sprintf("c%d : ", slices.Index(s.texts, path))
	switch kind {
	case queries.And:
		return column + "(" + quote(a[0]) + " AND " + quote(a[1]) + ")"
	case queries.Or:
		return column + "(" + quote(a[0]) + " OR " + quote(a[1]) + ")"
	case queries.Mixed:
		return column + "((" + quote(a[0]) + " OR " + quote(a[1]) + ") AND " + quote(a[2]) + ")"
	case queries.Not:
		return column + "(" + quote(a[0]) + " NOT " + quote(a[1]) + ")"
	case queries.Phrase:
		return column + quote(a[0]+" "+a[1])
	case queries.Prefix:
		return column + quote(a[0]) + "*"
	}
	return column + quote(a[0])
}
