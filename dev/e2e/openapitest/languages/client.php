<?php
// Calls the whole interface with PHP's curl, and prints each call's name and status.

function call(string $name, string $url, array $headers = [], string $method = 'GET', ?string $body = null): string
{
    $request = curl_init($url);
    curl_setopt_array($request, [CURLOPT_RETURNTRANSFER => true, CURLOPT_CUSTOMREQUEST => $method, CURLOPT_HTTPHEADER => $headers]);
    if ($body !== null) {
        curl_setopt($request, CURLOPT_POSTFIELDS, $body);
    }
    $text = curl_exec($request);
    check($text !== false, curl_error($request));
    echo $name, ' ', curl_getinfo($request, CURLINFO_RESPONSE_CODE), "\n";
    return $text;
}

function check(bool $holds, string $why): void
{
    if (!$holds) {
        fwrite(STDERR, "$why\n");
        exit(1);
    }
}

function basic(string $user, string $password = ''): string
{
    return 'Authorization: Basic ' . base64_encode("$user:$password");
}

function search(string $channel): string
{
    return getenv('BASE_URL') . '/api/rest/v2/frontend/jobboards/' . rawurlencode($channel) . '/jobs';
}

function token(string $name, array $form): array
{
    $headers = [basic(getenv('CONFIDENTIAL_CLIENT'), getenv('CONFIDENTIAL_SECRET'))];
    return json_decode(call($name, getenv('BASE_URL') . '/api/rest/oauth/frontend/token', $headers, 'POST', http_build_query($form)), true);
}

function job(string $name, string $id, string $last, ?string $token = null): string
{
    return call($name, getenv('BASE_URL') . "/api/rest/v3/frontend/jobs/$id/$last", $token === null ? [] : ["Authorization: Bearer $token"]);
}

function lookup(string $name, string $id): string
{
    return call($name, getenv('JOBDB_URL') . '/jobdb/public/apply/external?' . http_build_query(['jobid' => $id]));
}

$client = token('client token', ['grant_type' => 'client_credentials'])['access_token'];
$person = ['grant_type' => 'password', 'username' => getenv('USERNAME'), 'password' => getenv('PASSWORD')];
$user = token('applicant token', $person)['access_token'];
check(isset(token('wrong password', ['password' => 'wrong'] + $person)['error']), 'no error');

$channel = getenv('CHANNEL');
check(json_decode(call('search, Basic', search($channel), [basic(getenv('CLIENT_ID'))]))->totalNumberOfJobs > 0, 'no jobs');
call('search, token', search($channel), ["Authorization: Bearer $client", 'Content-Type: application/json']);
$around = http_build_query(['search' => 'Pflege', 'geoLocation' => '52.520014::13.373006::50']);
call('search, near', search($channel) . "?$around", ["Authorization: Bearer $user", 'Accept-Language: de']);
call('search, no credential', search($channel));
call('search, failing', search('27830_broken'), ["Authorization: Bearer $client"]);

check(json_decode(lookup('lookup, open', getenv('OPEN_JOB')))->applyPossible === true, 'the job is not open');
check(json_decode(job('applied, open', getenv('OPEN_JOB'), 'applied', $user)) === false, 'applied');
job('application, open', getenv('OPEN_JOB'), 'application', $user);
check(json_decode(job('applied, applied', getenv('APPLIED_JOB'), 'applied', $user)) === true, 'not applied');
check(job('application, applied', getenv('APPLIED_JOB'), 'application', $user) === getenv('APPLICATION_ID'), 'another application');
check(json_decode(job('applied, withdrawn', getenv('WITHDRAWN_JOB'), 'applied', $user)) === true, 'not applied');

job('applied, no credential', getenv('OPEN_JOB'), 'applied');
job('applied, client token', getenv('OPEN_JOB'), 'applied', $client);
job('applied, expired token', getenv('OPEN_JOB'), 'applied', getenv('EXPIRED_TOKEN'));
job('applied, narrow token', getenv('OPEN_JOB'), 'applied', getenv('NARROW_TOKEN'));
job('applied, inactive', getenv('INACTIVE_JOB'), 'applied', $user);
job('applied, unknown', getenv('UNKNOWN_JOB'), 'applied', $user);
job('applied, internal', getenv('INTERNAL_JOB'), 'applied', $user);
job('applied, other company', getenv('OTHER_COMPANY_JOB'), 'applied', $user);
job('applied, unpublished', getenv('UNPUBLISHED_JOB'), 'applied', $user);
lookup('lookup, inactive', getenv('INACTIVE_JOB'));
lookup('lookup, unknown', getenv('UNKNOWN_JOB'));

$abo = getenv('BASE_URL') . '/jobabo';
$headers = ["Authorization: Bearer $client", 'Content-Type: application/json'];
$wanted = http_build_query(['channel' => $channel, 'types' => 'rss']);
$made = json_decode(call('subscribe', "$abo?$wanted", $headers, 'POST', json_encode(['jobcategory' => ['3001']])));
call('confirm', "$abo/$made->rss", $headers, 'PUT', 'null');
call('stop', "$abo/$made->rss", ["Authorization: Bearer $client"], 'DELETE');
