package jobsite

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/jobboard-sdk/jobboard-go"
)

// ReadEnv returns the settings in the environment, those of the other programs that use the same
// board. getenv is [os.Getenv] or a function like it.
//
//	JOBBOARD_BASE_URL, JOBBOARD_JOBDB_URL          the addresses of the board
//	JOBBOARD_CLIENT_ID, JOBBOARD_CLIENT_SECRET     the site's credential
//	JOBBOARD_TOKEN                                 a token in place of the secret
//	JOBBOARD_TOKEN_URL                             where the secret gets tokens
//	JOBBOARD_CHANNEL                               the channels, with commas
//	JOBBOARD_FEED                                  a job feed
//	JOBBOARD_MIRROR_DB                             the database of the copy
//	JOBBOARD_CA_FILE                               certificates (PEM) to trust besides the system's
//	JOBBOARD_ALLOW_INSECURE                        true: send credentials over http
//
// JOBBOARD_CLIENT_SECRET_FILE and JOBBOARD_TOKEN_FILE name files with these secrets. ReadEnv
// returns an error for a file that it cannot read, and for a value that is not true or false.
func ReadEnv(getenv func(string) string) (Settings, error) {
	get := func(name string) string { return strings.TrimSpace(getenv("JOBBOARD_" + name)) }
	s := Settings{
		Board:    jobboard.Config{BaseURL: get("BASE_URL"), JobDBURL: get("JOBDB_URL"), ClientID: get("CLIENT_ID")},
		TokenURL: get("TOKEN_URL"),
		Database: get("MIRROR_DB"),
	}
	for channel := range strings.SplitSeq(get("CHANNEL"), ",") {
		if channel = strings.TrimSpace(channel); channel != "" {
			s.Channels = append(s.Channels, jobboard.ChannelID(channel))
		}
	}
	if feed := get("FEED"); feed != "" {
		s.Feeds = []string{feed}
	}
	var err error
	if s.ClientSecret, err = secret(get, "CLIENT_SECRET"); err != nil {
		return Settings{}, err
	}
	token, err := secret(get, "TOKEN")
	if err != nil {
		return Settings{}, err
	}
	if token != "" {
		s.Board.TokenSource = jobboard.StaticToken(token)
	}
	if text := get("ALLOW_INSECURE"); text != "" {
		if s.Board.AllowInsecure, err = strconv.ParseBool(text); err != nil {
			return Settings{}, fmt.Errorf("jobsite: JOBBOARD_ALLOW_INSECURE: %.60q is neither true nor false", text)
		}
	}
	if path := get("CA_FILE"); path != "" {
		if s.Board.TLS, err = trusting(path); err != nil {
			return Settings{}, err
		}
	}
	return s, nil
}

// secret returns the variable of a secret, or the content of the file that the variable with
// _FILE names.
func secret(get func(string) string, name string) (string, error) {
	text, path := get(name), get(name+"_FILE")
	if text != "" || path == "" {
		return text, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("jobsite: JOBBOARD_%s_FILE: %w", name, err)
	}
	return strings.TrimSpace(string(data)), nil
}

// trusting returns settings of TLS that trust the certificates in a file besides the system's.
func trusting(path string) (*tls.Config, error) {
	pem, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("jobsite: JOBBOARD_CA_FILE: %w", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("jobsite: JOBBOARD_CA_FILE: %s holds no certificate in PEM form", path)
	}
	return &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}, nil
}
