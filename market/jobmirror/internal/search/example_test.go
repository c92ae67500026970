package search_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/search"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// Recipes are indexed, and found by what a cook types.
func Example() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "recipes")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	schema := store.Schema{Program: "recipes", Version: 1, Own: map[string]string{}, Tables: `
		CREATE TABLE mirror (name TEXT PRIMARY KEY, value TEXT NOT NULL);
		INSERT INTO mirror VALUES ('program', 'recipes'), ('oldest', '1');`}
	search.AddTables(&schema)
	db, err := store.Open(ctx, filepath.Join(folder, "recipes.db"), schema, false)
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	if err := db.Migrate(ctx); err != nil {
		log.Fatal(err)
	}

	titles := map[int64]string{1: "Apfelkuchen", 2: "Kartoffelsuppe", 3: "Kuchen ohne Mehl"}
	documents := func(rows ...int64) (list []search.Document) {
		for _, row := range rows {
			list = append(list, search.Document{
				Row: row, Title: titles[row], Languages: []string{"de"}, Facets: []search.Tag{{Kind: "kitchen", Value: "German"}},
				Places: []search.Place{{Name: "Köln", Latitude: 50.94, Longitude: 6.96}},
			})
		}
		return list
	}
	index := search.New(db, func(_ *store.Tx, rows []int64) ([]search.Document, error) { return documents(rows...), nil })
	err = db.Update(ctx, func(t *store.Tx) error {
		if err := index.BeginForm(t); err != nil {
			return err
		}
		return index.Put(t, documents(1, 2, 3))
	})
	if err != nil {
		log.Fatal(err)
	}

	err = db.View(ctx, func(t *store.Tx) error {
		page, err := index.Find(t, search.Query{Text: "kuchen", Near: jobboard.Near(51, 7, 50)}, search.Position{}, 10)
		if err != nil {
			return err
		}
		for _, hit := range page.Hits {
			fmt.Printf("%s is in tier %d\n", titles[hit.Row], hit.Tier)
		}
		facets, err := page.Facets()
		if err != nil {
			return err
		}
		fmt.Println(facets.Total, "in all,", facets.Counts)

		page, err = index.Find(t, search.Query{Text: "kartofelsuppe"}, search.Position{}, 10)
		if err != nil {
			return err
		}
		for _, mistyped := range page.Corrected {
			fmt.Println(mistyped.Word, "may mean", mistyped.Nearest)
		}
		suggested, _, err := index.Suggest(t, search.Query{}, "kuc")
		fmt.Println(suggested)
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// Kuchen ohne Mehl is in tier 0
	// Apfelkuchen is in tier 1
	// 2 in all, map[{kitchen German}:2 {o Köln}:2]
	// kartofelsuppe may mean [kartoffelsuppe]
	// [Kuchen]
}
