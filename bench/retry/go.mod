module github.com/jobboard-sdk/jobboard-go/bench/retry

go 1.26.0

replace github.com/jobboard-sdk/jobboard-go => ../..

require (
	github.com/aws/aws-sdk-go-v2 v1.47.7
	github.com/aws/smithy-go v1.28.8
	github.com/hashicorp/go-retryablehttp v0.7.8
	github.com/jobboard-sdk/jobboard-go v0.0.0-00010101000000-000000000000
)

require (
	github.com/google/go-querystring v1.2.0 // indirect
	github.com/hashicorp/go-cleanhttp v0.5.2 // indirect
	golang.org/x/oauth2 v0.37.0 // indirect
)
