import static java.net.URLEncoder.encode;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Base64;
import java.util.regex.Pattern;

/** Calls the whole interface with Java's HttpClient, and prints each call's name and status. */
class Client {
    static final HttpClient http = HttpClient.newHttpClient();

    static String env(String name) {
        return System.getenv(name);
    }

    static String call(String name, HttpRequest.Builder request) throws Exception {
        var answer = http.send(request.build(), BodyHandlers.ofString());
        System.out.println(name + " " + answer.statusCode());
        return answer.body();
    }

    static HttpRequest.Builder get(String url) {
        return HttpRequest.newBuilder(URI.create(url));
    }

    static HttpRequest.Builder bearer(String url, String token) {
        return get(url).header("Authorization", "Bearer " + token);
    }

    static String basic(String user, String password) {
        return "Basic " + Base64.getEncoder().encodeToString((user + ":" + password).getBytes(UTF_8));
    }

    /** Returns a member of a JSON object whose value is a text. */
    static String member(String json, String name) {
        var found = Pattern.compile("\"" + name + "\"\\s*:\\s*\"([^\"]*)\"").matcher(json);
        check(found.find(), name + " is not in " + json);
        return found.group(1);
    }

    static void check(boolean holds, String why) {
        if (!holds) {
            throw new IllegalStateException(why);
        }
    }

    static String token(String name, String form) throws Exception {
        return call(name, get(env("BASE_URL") + "/api/rest/oauth/frontend/token")
                .header("Authorization", basic(env("CONFIDENTIAL_CLIENT"), env("CONFIDENTIAL_SECRET")))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString(form)));
    }

    static String search(String channel) {
        return env("BASE_URL") + "/api/rest/v2/frontend/jobboards/" + channel + "/jobs";
    }

    static String job(String name, String key, String last, String token) throws Exception {
        var url = env("BASE_URL") + "/api/rest/v3/frontend/jobs/" + env(key) + "/" + last;
        return call(name, token == null ? get(url) : bearer(url, token));
    }

    static String lookup(String name, String key) throws Exception {
        return call(name, get(env("JOBDB_URL") + "/jobdb/public/apply/external?jobid=" + env(key)));
    }

    public static void main(String[] args) throws Exception {
        var client = member(token("client token", "grant_type=client_credentials"), "access_token");
        var person = "grant_type=password&username=" + encode(env("USERNAME"), UTF_8) + "&password=";
        var user = member(token("applicant token", person + encode(env("PASSWORD"), UTF_8)), "access_token");
        member(token("wrong password", person + "wrong"), "error");

        var url = search(env("CHANNEL"));
        check(call("search, Basic", get(url).header("Authorization", basic(env("CLIENT_ID"), ""))).contains("\"results\""), "no results");
        call("search, token", bearer(url, client).header("Content-Type", "application/json"));
        var around = "?search=Pflege&geoLocation=" + encode("52.520014::13.373006::50", UTF_8);
        call("search, near", bearer(url + around, user).header("Accept-Language", "de"));
        call("search, no credential", get(url));
        call("search, failing", bearer(search("27830_broken"), client));

        check(lookup("lookup, open", "OPEN_JOB").replace(" ", "").contains("\"applyPossible\":true"), "the job is not open");
        check(job("applied, open", "OPEN_JOB", "applied", user).equals("false"), "applied");
        job("application, open", "OPEN_JOB", "application", user);
        check(job("applied, applied", "APPLIED_JOB", "applied", user).equals("true"), "not applied");
        check(job("application, applied", "APPLIED_JOB", "application", user).equals(env("APPLICATION_ID")), "another application");
        check(job("applied, withdrawn", "WITHDRAWN_JOB", "applied", user).equals("true"), "not applied");

        job("applied, no credential", "OPEN_JOB", "applied", null);
        job("applied, client token", "OPEN_JOB", "applied", client);
        job("applied, expired token", "OPEN_JOB", "applied", env("EXPIRED_TOKEN"));
        job("applied, narrow token", "OPEN_JOB", "applied", env("NARROW_TOKEN"));
        job("applied, inactive", "INACTIVE_JOB", "applied", user);
        job("applied, unknown", "UNKNOWN_JOB", "applied", user);
        job("applied, internal", "INTERNAL_JOB", "applied", user);
        job("applied, other company", "OTHER_COMPANY_JOB", "applied", user);
        job("applied, unpublished", "UNPUBLISHED_JOB", "applied", user);
        lookup("lookup, inactive", "INACTIVE_JOB");
        lookup("lookup, unknown", "UNKNOWN_JOB");

        var abo = env("BASE_URL") + "/jobabo";
        var json = "application/json";
        var made = member(call("subscribe", bearer(abo + "?types=rss&channel=" + encode(env("CHANNEL"), UTF_8), client)
                .header("Content-Type", json).POST(BodyPublishers.ofString("{\"jobcategory\":[\"3001\"]}"))), "rss");
        call("confirm", bearer(abo + "/" + made, client).header("Content-Type", json).PUT(BodyPublishers.ofString("null")));
        call("stop", bearer(abo + "/" + made, client).DELETE());
    }
}
