// What jobpublish writes, held against validators of others. A module of its own,
// so that none of it enters the graph of those who import the library.
module github.com/jobboard-sdk/jobboard-go/jobpublish/validators

go 1.26.0

replace (
	github.com/jobboard-sdk/jobboard-go => ../..
	github.com/jobboard-sdk/jobboard-go/jobpublish => ../
)

require (
	github.com/jobboard-sdk/jobboard-go v0.0.0
	github.com/jobboard-sdk/jobboard-go/jobpublish v0.0.0
	github.com/mmcdole/gofeed v1.4.2
	github.com/piprate/json-gold v0.9.1
)

require (
	github.com/aymerick/douceur v0.2.0 // indirect
	github.com/cayleygraph/quad v1.3.0 // indirect
	github.com/google/go-querystring v1.2.0 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/gorilla/css v1.0.1 // indirect
	github.com/hashicorp/go-cleanhttp v0.5.2 // indirect
	github.com/hashicorp/go-retryablehttp v0.7.8 // indirect
	github.com/microcosm-cc/bluemonday v1.0.27 // indirect
	github.com/mmcdole/goxpp/v2 v2.0.0 // indirect
	github.com/pquerna/cachecontrol v0.2.0 // indirect
	golang.org/x/net v0.62.0 // indirect
	golang.org/x/oauth2 v0.37.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)
