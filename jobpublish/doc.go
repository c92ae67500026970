// Package jobpublish makes postings safe to show and easy to find.
package jobpublish
