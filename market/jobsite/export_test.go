package jobsite

import "time"

// Age returns a session as if its visitor had signed in earlier.
func Age(s *SignIn, session []byte, by time.Duration) ([]byte, error) {
	deadline, values, err := s.sessions.Codec.Decode(session)
	if err != nil {
		return nil, err
	}
	found := values[sessionKey].(stored)
	found.SignedIn = found.SignedIn.Add(-by)
	values[sessionKey] = found
	return s.sessions.Codec.Encode(deadline, values)
}
