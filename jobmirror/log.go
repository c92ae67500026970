package jobmirror

// log writes a change in the transaction that makes it. An empty text for
// before or after stands for no row.
//
// On SQLite, which has one writer, a change has its number at once. On
// PostgreSQL it gets one after it was committed; see number.
func (t *tx) log(kind string, id int64, language, before, after, cause string) error {
	var number any
	if !t.db.shared {
		if t.logged == 0 {
			last, err := t.counter("change")
			if err != nil {
				return err
			}
			t.changed = last
		}
		number = t.changed + int64(t.logged) + 1
	}
	t.logged++
	_, err := t.exec(`INSERT INTO changes (number, at, kind, id, language, before, after, cause)
		VALUES (?, ?, ?, ?, ?, NULLIF(?, ''), NULLIF(?, ''), ?)`, number, t.now, kind, id, language, before, after, cause)
	return err
}

// count moves the counter of changes past those of this transaction.
func (t *tx) count() error {
	if t.logged == 0 || t.db.shared {
		return nil
	}
	_, err := t.exec("UPDATE counters SET value = ? WHERE name = 'change'", t.changed+int64(t.logged))
	return err
}
