// What a site needs between the mirror, its pages, the applicant and the form. A
// module of its own, so that its sessions reach nobody who does not ask for them.
module github.com/jobboard-sdk/jobboard-go/jobsite

go 1.26.0

replace github.com/jobboard-sdk/jobboard-go => ../

require (
	github.com/jobboard-sdk/jobboard-go v0.0.0-00010101000000-000000000000
	golang.org/x/oauth2 v0.37.0
)

require (
	github.com/alexedwards/scs/v2 v2.9.0
	github.com/google/go-querystring v1.2.0 // indirect
	github.com/hashicorp/go-cleanhttp v0.5.2 // indirect
	github.com/hashicorp/go-retryablehttp v0.7.8 // indirect
)
