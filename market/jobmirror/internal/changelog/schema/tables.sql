
-- The log. number is the last change's, erased that of the last one that was removed from it,
-- erased_stamp the stamp of that.
INSERT INTO counters VALUES ('change', 0), ('erased', 0), ('erased_stamp', 0);
