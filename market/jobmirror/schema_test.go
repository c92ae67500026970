package jobmirror

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	tableOf  = regexp.MustCompile(`(?ms)^-- [^\n]+\nCREATE (?:VIRTUAL )?TABLE (\w+)(?: \((.*?)^\)| USING)`)
	columnOf = regexp.MustCompile(`(?m)^    ([a-z_]+) [^\n]* -- [^\n]+$`)
)

// Each table of a database, and each of its columns, has a comment where it is made, whichever package makes it.
func TestEachColumnHasAComment(t *testing.T) {
	onBoth(t, func(t *testing.T, m *Mirror) {
		tables := schema()
		columns := map[string][]string{}
		for _, table := range tableOf.FindAllStringSubmatch(tables.Tables+tables.Own[m.db.Name], -1) {
			columns[table[1]] = []string{}
			for _, column := range columnOf.FindAllStringSubmatch(table[2], -1) {
				columns[table[1]] = append(columns[table[1]], column[1])
			}
		}
		list := `SELECT t.name, c.name, t.sql LIKE 'CREATE VIRTUAL%' FROM sqlite_schema t, pragma_table_info(t.name) c
			WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND t.name NOT LIKE 'search\_%' ESCAPE '\' OR t.name = 'search_state'`
		if m.db.Shared {
			list = "SELECT table_name, column_name, 1 = 0 FROM information_schema.columns WHERE table_schema = current_schema()"
		}
		seen := 0
		do(t, m, func(in *tx) error {
			return in.Rows(list, nil, func(scan func(...any) error) error {
				var (
					table, column string
					virtual       bool // its columns are the text index's own
				)
				if err := scan(&table, &column, &virtual); err != nil || table == "mirror_versions" { // the migrations' own
					return err
				}
				seen++
				told, ok := columns[table]
				switch {
				case !ok:
					t.Errorf("the table %s has no comment", table)
				case !virtual && !slices.Contains(told, column):
					t.Errorf("the column %s.%s has no comment", table, column)
				}
				return nil
			})
		})
		if seen < 100 || strings.Count(tables.Tables, "CREATE TABLE") < 20 {
			t.Errorf("it sees %d columns", seen)
		}
	})
}
