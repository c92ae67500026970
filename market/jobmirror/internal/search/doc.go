// Package search keeps documents in tables of a database and finds them by what people type.
//
// A document is a row of the caller's: its number, its texts, their language, and what it is
// selected and counted by, which are tags, places and facets. What a row is, the caller knows, and
// when it changed; nothing else in the database is read here. The rules by which words find texts
// are in package words, the index of tokens in package textindex, the cells of the Earth in
// package grid.
//
// Put and Remove write in the caller's transaction; Find, All and Suggest read in it. The tables
// of a document are search, places and facets; the tables stemmers, vocabulary and
// search_state are of all documents. Reset and Empty remove what is indexed.
package search

import (
	_ "embed"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

var (
	//go:embed schema/tables.sql
	tables string
	//go:embed schema/fts5.sql
	fts5Table string
	//go:embed schema/postgres.sql
	postgresTables string
)

// AddTables adds the tables of documents to a schema.
func AddTables(s *store.Schema) {
	s.Tables += tables
	s.Own["sqlite"] += fts5Table
	s.Own["postgres"] += postgresTables
}
