package jobfeed_test

import (
	"errors"
	"fmt"
	"log"
	"strings"

	"github.com/jobboard-sdk/jobboard-go/jobfeed"
)

const exampleFeed = `<?xml version="1.0" encoding="utf-8"?>
<Jobs xmlns="http://ns.hr-xml.org/2006-02-28">
  <PositionOpening>
    <PositionRecordInfo><Id><IdValue>2797227</IdValue></Id></PositionRecordInfo>
    <PositionProfile xml:lang="de"><PositionDetail><PositionTitle>Schreiner (w/m/d)</PositionTitle></PositionDetail></PositionProfile>
  </PositionOpening>
  <PositionOpening>
    <PositionRecordInfo><Id><IdValue>R&D 7</IdValue></Id></PositionRecordInfo>
  </PositionOpening>
  <PositionOpening>
    <PositionRecordInfo><Id><IdValue>2797228</IdValue></Id></PositionRecordInfo>
    <PositionProfile xml:lang="en"><ProfileName>Carpenter</ProfileName></PositionProfile>
  </PositionOpening>
</Jobs>`

func ExampleReader_Entries() {
	r := jobfeed.NewReader(strings.NewReader(exampleFeed), nil)
	for entry, err := range r.Entries() {
		if bad, ok := errors.AsType[*jobfeed.EntryError](err); ok {
			fmt.Println("broken:", bad)
			continue
		}
		if err != nil {
			log.Fatal(err) // the feed broke off before its end
		}
		fmt.Println(entry.JobID, entry.Language, entry.Title)
	}
	// Output:
	// 2797227 de Schreiner (w/m/d)
	// broken: jobfeed: line 8, column 41, offset 403: syntax error: invalid character entity &D (no semicolon)
	// 2797228 en Carpenter
}

func ExampleReader_JobIDs() {
	broken := 0
	for id, err := range jobfeed.NewReader(strings.NewReader(exampleFeed), nil).JobIDs() {
		switch _, entry := errors.AsType[*jobfeed.EntryError](err); {
		case entry:
			broken++
		case err != nil:
			log.Fatal(err)
		default:
			fmt.Println(id)
		}
	}
	fmt.Println(broken, "broken")
	// Output:
	// 2797227
	// 2797228
	// 1 broken
}
