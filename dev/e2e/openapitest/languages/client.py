"""Calls the whole interface with Python's standard library, and prints each call's name and status."""

import base64
import json
import os
import urllib.error
import urllib.parse
import urllib.request

env = os.environ
BASE, JOBDB = env["BASE_URL"], env["JOBDB_URL"]
SEARCH = f"{BASE}/api/rest/v2/frontend/jobboards/{env['CHANNEL']}/jobs"
TOKEN = f"{BASE}/api/rest/oauth/frontend/token"


def call(name, url, method="GET", body=None, **headers):
    headers = {key.replace("_", "-"): value for key, value in headers.items()}
    request = urllib.request.Request(url, data=body, headers=headers, method=method)
    try:
        with urllib.request.urlopen(request) as answer:
            status, text = answer.status, answer.read().decode()
    except urllib.error.HTTPError as refused:
        status, text = refused.code, refused.read().decode()
    print(name, status)
    return text


def basic(user, password=""):
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


def token(name, **form):
    body = urllib.parse.urlencode(form).encode()
    secret = basic(env["CONFIDENTIAL_CLIENT"], env["CONFIDENTIAL_SECRET"])
    return json.loads(call(name, TOKEN, "POST", body, Authorization=secret))


def job(name, key, last, bearer=None):
    headers = {"Authorization": "Bearer " + bearer} if bearer else {}
    return call(name, f"{BASE}/api/rest/v3/frontend/jobs/{env[key]}/{last}", **headers)


def lookup(name, key):
    return call(name, JOBDB + "/jobdb/public/apply/external?" + urllib.parse.urlencode({"jobid": env[key]}))


client = token("client token", grant_type="client_credentials")["access_token"]
user = token("applicant token", grant_type="password", username=env["USERNAME"], password=env["PASSWORD"])["access_token"]
assert "error" in token("wrong password", grant_type="password", username=env["USERNAME"], password="wrong")

assert json.loads(call("search, Basic", SEARCH, Authorization=basic(env["CLIENT_ID"])))["totalNumberOfJobs"] > 0
call("search, token", SEARCH, Authorization="Bearer " + client, Content_Type="application/json")
around = urllib.parse.urlencode({"search": "Pflege", "geoLocation": "52.520014::13.373006::50"})
call("search, near", SEARCH + "?" + around, Authorization="Bearer " + user, Accept_Language="de")
call("search, no credential", SEARCH)
call("search, failing", SEARCH.replace(env["CHANNEL"], "27830_broken"), Authorization="Bearer " + client)

assert json.loads(lookup("lookup, open", "OPEN_JOB"))["applyPossible"] is True
assert json.loads(job("applied, open", "OPEN_JOB", "applied", user)) is False
job("application, open", "OPEN_JOB", "application", user)
assert json.loads(job("applied, applied", "APPLIED_JOB", "applied", user)) is True
assert job("application, applied", "APPLIED_JOB", "application", user).strip() == env["APPLICATION_ID"]
assert json.loads(job("applied, withdrawn", "WITHDRAWN_JOB", "applied", user)) is True

job("applied, no credential", "OPEN_JOB", "applied")
job("applied, client token", "OPEN_JOB", "applied", client)
job("applied, expired token", "OPEN_JOB", "applied", env["EXPIRED_TOKEN"])
job("applied, narrow token", "OPEN_JOB", "applied", env["NARROW_TOKEN"])
job("applied, inactive", "INACTIVE_JOB", "applied", user)
job("applied, unknown", "UNKNOWN_JOB", "applied", user)
job("applied, internal", "INTERNAL_JOB", "applied", user)
job("applied, other company", "OTHER_COMPANY_JOB", "applied", user)
job("applied, unpublished", "UNPUBLISHED_JOB", "applied", user)
lookup("lookup, inactive", "INACTIVE_JOB")
lookup("lookup, unknown", "UNKNOWN_JOB")

wanted = urllib.parse.urlencode({"channel": env["CHANNEL"], "types": "rss"})
bearer = {"Authorization": "Bearer " + client, "Content-Type": "application/json"}
made = json.loads(call("subscribe", f"{BASE}/jobabo?{wanted}", "POST", json.dumps({"jobcategory": ["3001"]}).encode(), **bearer))
call("confirm", f"{BASE}/jobabo/{made['rss']}", "PUT", b"null", **bearer)
call("stop", f"{BASE}/jobabo/{made['rss']}", "DELETE", Authorization="Bearer " + client)
