package board

// Setenver holds the methods of testing.TB that ClearEnv needs.
type Setenver interface{ Setenv(key, value string) }

// ClearEnv removes the settings from the environment for one test.
func ClearEnv(t Setenver) {
	for _, name := range []string{"BASE_URL", "JOBDB_URL", "CLIENT_ID", "TOKEN", "USER_TOKEN", "CHANNEL", "JOB"} {
		t.Setenv("JOBBOARD_"+name, "")
	}
}
