"""Rebuilds a mirror's rows from its stream of changes alone.

usage: follow.py ADDRESS CURSOR
prints the rows as JSON once the stream has come to CURSOR.
"""
import json
import sys
import urllib.request

rows = {}
kind = data = last = ""
with urllib.request.urlopen(sys.argv[1]) as stream:
    for line in stream:
        line = line.decode().rstrip("\n")
        if line.startswith("event: "):
            kind = line[7:]
        elif line.startswith("data: "):
            data = line[6:]
        elif line.startswith("id: "):
            last = line[4:]
        elif line == "" and data:
            event = json.loads(data)
            if kind == "row" and "job" in event:
                rows["job %d " % event["job"]["jobId"]] = event["job"]
            elif kind == "row":
                posting = event["posting"]
                rows["posting %d %s" % (posting["jobPostingId"], posting.get("language", ""))] = posting
            elif kind == "change" and event["kind"] == "forgotten":
                name = "%s %d " % (event["language"], event["id"])
                rows = {k: v for k, v in rows.items() if not k.startswith(name)}
            elif kind == "change":
                name = "%s %d %s" % (event["kind"], event["id"], event.get("language", ""))
                if "after" in event:
                    rows[name] = event["after"]
                else:
                    rows.pop(name, None)
            data = ""
            if last == sys.argv[2]:
                json.dump(rows, sys.stdout)
                sys.exit(0)
