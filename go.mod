module github.com/jobboard-sdk/jobboard-go

go 1.26.0

toolchain go1.26.8

require (
	github.com/google/go-querystring v1.2.0
	github.com/hashicorp/go-retryablehttp v0.7.8
	github.com/jarcoal/httpmock v1.4.2
	golang.org/x/net v0.62.0
	golang.org/x/oauth2 v0.38.0
	golang.org/x/text v0.44.0
)

require github.com/hashicorp/go-cleanhttp v0.5.2 // indirect
