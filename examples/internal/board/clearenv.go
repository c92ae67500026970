package board

// Setenver is a testing.TB, as far as ClearEnv needs it.
type Setenver interface{ Setenv(key, value string) }

// ClearEnv takes the settings out of the environment for one test.
func ClearEnv(t Setenver) {
	for _, name := range []string{"BASE_URL", "JOBDB_URL", "CLIENT_ID", "TOKEN", "USER_TOKEN", "CHANNEL", "JOB"} {
		t.Setenv("JOBBOARD_"+name, "")
	}
}
