//go:build !rivals

package main

import "net/http"

// absent holds the names of the contenders whose code is generated. They take part
// if the program is built with the tag rivals after go generate.
var absent = []string{oapi, ogen, easy, oapiCrowd, ogenCrowd}

func rivalPages([]byte) []contender { return nil }

func rivalInfos([]byte) []contender { return nil }

func rivalCalls(string, func() http.RoundTripper) ([]contender, error) { return nil, nil }

func rivalSearches(string, string) ([]contender, error) { return nil, nil }

func rivalCrowds(string) []crowd { return nil }

func rivalLookups(http.RoundTripper) ([]lookups, error) { return nil, nil }
