// Calls the whole interface with Node's fetch, and prints each call's name and status.
import assert from "node:assert";

const env = process.env;
const search = (channel) => `${env.BASE_URL}/api/rest/v2/frontend/jobboards/${channel}/jobs`;

async function call(name, url, options = {}) {
  const answer = await fetch(url, options);
  const text = await answer.text();
  console.log(name, answer.status);
  return text;
}

const basic = (user, password = "") => "Basic " + Buffer.from(`${user}:${password}`).toString("base64");
const bearer = (token) => ({ headers: token ? { Authorization: `Bearer ${token}` } : {} });

const token = async (name, form) => JSON.parse(await call(name, `${env.BASE_URL}/api/rest/oauth/frontend/token`, {
  method: "POST",
  headers: { Authorization: basic(env.CONFIDENTIAL_CLIENT, env.CONFIDENTIAL_SECRET) },
  body: new URLSearchParams(form),
}));
const job = (name, id, last, token) => call(name, `${env.BASE_URL}/api/rest/v3/frontend/jobs/${id}/${last}`, bearer(token));
const lookup = (name, id) => call(name, `${env.JOBDB_URL}/jobdb/public/apply/external?${new URLSearchParams({ jobid: id })}`);

const client = (await token("client token", { grant_type: "client_credentials" })).access_token;
const person = { grant_type: "password", username: env.USERNAME, password: env.PASSWORD };
const user = (await token("applicant token", person)).access_token;
assert((await token("wrong password", { ...person, password: "wrong" })).error);

const all = JSON.parse(await call("search, Basic", search(env.CHANNEL), { headers: { Authorization: basic(env.CLIENT_ID) } }));
assert(all.totalNumberOfJobs > 0);
await call("search, token", search(env.CHANNEL), { headers: { ...bearer(client).headers, "Content-Type": "application/json" } });
const around = new URLSearchParams({ search: "Pflege", geoLocation: "52.520014::13.373006::50" });
await call("search, near", `${search(env.CHANNEL)}?${around}`, { headers: { ...bearer(user).headers, "Accept-Language": "de" } });
await call("search, no credential", search(env.CHANNEL));
await call("search, failing", search("27830_broken"), bearer(client));

assert.equal(JSON.parse(await lookup("lookup, open", env.OPEN_JOB)).applyPossible, true);
assert.equal(await job("applied, open", env.OPEN_JOB, "applied", user), "false");
await job("application, open", env.OPEN_JOB, "application", user);
assert.equal(await job("applied, applied", env.APPLIED_JOB, "applied", user), "true");
assert.equal(await job("application, applied", env.APPLIED_JOB, "application", user), env.APPLICATION_ID);
assert.equal(await job("applied, withdrawn", env.WITHDRAWN_JOB, "applied", user), "true");

await job("applied, no credential", env.OPEN_JOB, "applied");
await job("applied, client token", env.OPEN_JOB, "applied", client);
await job("applied, expired token", env.OPEN_JOB, "applied", env.EXPIRED_TOKEN);
await job("applied, narrow token", env.OPEN_JOB, "applied", env.NARROW_TOKEN);
await job("applied, inactive", env.INACTIVE_JOB, "applied", user);
await job("applied, unknown", env.UNKNOWN_JOB, "applied", user);
await job("applied, internal", env.INTERNAL_JOB, "applied", user);
await job("applied, other company", env.OTHER_COMPANY_JOB, "applied", user);
await job("applied, unpublished", env.UNPUBLISHED_JOB, "applied", user);
await lookup("lookup, inactive", env.INACTIVE_JOB);
await lookup("lookup, unknown", env.UNKNOWN_JOB);

const wanted = new URLSearchParams({ channel: env.CHANNEL, types: "rss" });
const headers = { ...bearer(client).headers, "Content-Type": "application/json" };
const made = JSON.parse(await call("subscribe", `${env.BASE_URL}/jobabo?${wanted}`, {
  method: "POST", headers, body: JSON.stringify({ jobcategory: ["3001"] }),
}));
await call("confirm", `${env.BASE_URL}/jobabo/${made.rss}`, { method: "PUT", headers, body: "null" });
await call("stop", `${env.BASE_URL}/jobabo/${made.rss}`, { method: "DELETE", ...bearer(client) });
