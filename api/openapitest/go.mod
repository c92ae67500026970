module github.com/jobboard-sdk/jobboard-go/api/openapitest

go 1.26.0

replace github.com/jobboard-sdk/jobboard-go => ../..

require (
	github.com/getkin/kin-openapi v0.152.0
	github.com/jobboard-sdk/jobboard-go v0.0.0-00010101000000-000000000000
	golang.org/x/oauth2 v0.37.0
)

require (
	github.com/go-openapi/jsonpointer v1.0.2 // indirect
	github.com/google/go-querystring v1.2.0 // indirect
	github.com/gorilla/mux v1.8.1 // indirect
	github.com/hashicorp/go-cleanhttp v0.5.2 // indirect
	github.com/hashicorp/go-retryablehttp v0.7.8 // indirect
	github.com/kr/pretty v0.3.1 // indirect
	github.com/oasdiff/yaml v0.1.3 // indirect
	github.com/oasdiff/yaml3 v0.0.16 // indirect
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3 // indirect
	golang.org/x/text v0.43.0 // indirect
)
