// The tests of the fake's page in a browser. A module of its own, so that none
// of it enters the graph of those who import the library.
module github.com/jobboard-sdk/jobboard-go/jobboardtest/control/browsertest

go 1.26.0

replace github.com/jobboard-sdk/jobboard-go => ../../..

require (
	github.com/chromedp/cdproto v0.159.2
	github.com/chromedp/chromedp v0.23.0
	github.com/jobboard-sdk/jobboard-go v0.0.0
)

require golang.org/x/text v0.43.0 // indirect

require (
	github.com/go-json-experiment/json v1.27.2 // indirect
	github.com/jobboard-sdk/jobboard-go/internal/suite/browsertest v0.0.0
)

replace github.com/jobboard-sdk/jobboard-go/internal/suite/browsertest => ../../../internal/suite/browsertest
