// The tests of cleaned advertisements in a browser. A module of its own, so that
// none of it enters the graph of those who import the library.
module github.com/jobboard-sdk/jobboard-go/jobpublish/browsertest

go 1.26.0

replace (
	github.com/jobboard-sdk/jobboard-go => ../..
	github.com/jobboard-sdk/jobboard-go/jobpublish => ../
)

require (
	github.com/chromedp/cdproto v0.159.2
	github.com/chromedp/chromedp v0.23.0
	github.com/jobboard-sdk/jobboard-go v0.0.0
	github.com/jobboard-sdk/jobboard-go/jobpublish v0.0.0
)

require golang.org/x/text v0.43.0 // indirect

require (
	github.com/aymerick/douceur v0.2.0 // indirect
	github.com/go-json-experiment/json v1.27.2 // indirect
	github.com/google/go-querystring v1.2.0 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/gorilla/css v1.0.1 // indirect
	github.com/hashicorp/go-cleanhttp v0.5.2 // indirect
	github.com/hashicorp/go-retryablehttp v0.7.8 // indirect
	github.com/jobboard-sdk/jobboard-go/internal/suite/browsertest v0.0.0
	github.com/microcosm-cc/bluemonday v1.0.27 // indirect
	golang.org/x/net v0.62.0 // indirect
	golang.org/x/oauth2 v0.37.0 // indirect
)

replace github.com/jobboard-sdk/jobboard-go/internal/suite/browsertest => ../../internal/suite/browsertest
