package jobmirror_test

// childVariable makes of the test's program one of those that a test starts and
// kills.
const childVariable = "JOBMIRROR_TEST_CHILD"

func child() int { return 0 }
