// What drives a browser for the tests of pages. A module of its own, so that none
// of it enters the graph of those who import the library.
module github.com/jobboard-sdk/jobboard-go/internal/suite/browsertest

go 1.26.0

require (
	github.com/chromedp/cdproto v0.159.2
	github.com/chromedp/chromedp v0.23.0
)

require github.com/go-json-experiment/json v1.27.2 // indirect
