# shellcheck shell=bash
# Shared by .ci/run and .ci/nightly. Not a program.
#
# Each script defines its steps as functions named step_NAME and calls main.
# A step runs as a process of its own, so that it stops at its first failure
# while the others still run. One that cannot check something calls skip.

export CI=true GOWORK=off
unset CDPATH
exec </dev/null

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root" || exit
self=$root/.ci/$(basename "$0")
bin=$root/.ci/bin

# The supported Go releases. The installed one stands in for the patch release
# of its minor version; the other is fetched like a module.
go_releases='go1.26.11 go1.27.4'

# Tools that have too many dependencies for dev/tools/go.mod.
actionlint=github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
go_licenses=github.com/google/go-licenses@v1.6.0 # beside the linters it would get a library that it does not compile with
cyclonedx=github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0

# A time zone with a quarter of an hour in it.
far=Asia/Kathmandu

# in_zone ZONE COMMAND...: runs a command in a time zone, in a language that is not
# English. Tests run there anew: that one passed elsewhere says nothing, and go keeps
# no zone beside what it remembers.
in_zone() {
	local TZ=$1 LANG=de_DE.UTF-8 LC_ALL=de_DE.UTF-8 LANGUAGE=de GOFLAGS="${GOFLAGS:-} -count=1"
	export TZ LANG LC_ALL LANGUAGE GOFLAGS
	shift
	"$@"
}

skipped=77 # the exit status of a step that could not check

# skip WHY: ends a step that could not check what it is for.
skip() {
	echo "SKIPPED: $*"
	exit $skipped
}

# processor_time: sets processor to the seconds of processor time of the programs that this shell has
# started and waited for. A database server, which is nobody's child, is not among them.
processor_time() {
	local file=$CI_LOGS/times-$BASHPID
	times >"$file" # not in a subshell, which has started none
	processor=$(awk -F '[ms ]+' 'NR == 2 { printf "%d", ($1 + $3) * 60 + $2 + $4 }' "$file")
}

# one_step NAME: runs a step, prints what it took, and notes its verdict.
one_step() {
	local name=$1 start=$SECONDS verdict=ok status=0 processor before
	printf '\n=== %s\n' "$name"
	processor_time
	before=$processor
	"$self" --step "$name" 2>&1 | tee "$CI_LOGS/output-$name" || status=${PIPESTATUS[0]}
	processor_time
	case $status in
	0) ;;
	"$skipped") verdict=SKIPPED ;;
	*) verdict=FAILED ;;
	esac
	printf -- '--- %s: %s (%d s)\n' "$name" "$verdict" $((SECONDS - start))
	printf '%-12s %-7s %5d s %5d s of a processor\n' "$name" "$verdict" $((SECONDS - start)) $((processor - before)) \
		>"$CI_LOGS/verdict-$name"
}

# beside NAME...: runs steps one after the other with what other steps leave of the processors. What
# they say is kept.
beside() {
	local name
	renice -n 19 -p "$BASHPID" >/dev/null
	for name in "$@"; do
		one_step "$name" >"$CI_LOGS/said-$name" 2>&1
	done
}

# why_failed NAME: prints the lines of a step's output that say what failed, at most 60: the failed tests with what they
# said, panics, data races, packages, findings of compilers and linters. Where it has none of these, its last lines.
why_failed() {
	local why=$CI_LOGS/why-$1 lines
	awk '
		function tell(line) { if (!told[line]++) print line }
		/^ *(=== |--- (PASS|SKIP))/ { kept = 0; after = 0; next }
		# With -v a test speaks before its verdict, else after it.
		/^ *--- FAIL/ {
			for (i = kept > 6 ? kept - 6 : 0; i < kept; i++) tell(keep[i])
			tell($0); kept = 0; after = 6; next
		}
		/^(FAIL|panic:|fatal error:|SIGSEGV|signal |WARNING: DATA RACE|ThreadSanitizer|vet:|# [^ ]+$)/ { tell($0); kept = after = 0; next }
		/^[^ :]+\.go:[0-9]+(:[0-9]+)?: / { tell($0); next }
		/^ +[^ :]+\.go:[0-9]+: / { if (after-- > 0) tell($0); else keep[kept++] = $0; next }
		after-- > 0 && /^ / { tell($0) }
	' "$CI_LOGS/output-$1" >"$why"
	lines=$(wc -l <"$why")
	if [ "$lines" -eq 0 ]; then
		tail -n 15 "$CI_LOGS/output-$1"
	else
		head -n 60 "$why"
		[ "$lines" -le 60 ] || echo "... and $((lines - 60)) lines more, above"
	fi
}

# main STEPS QUIET ARGS: runs the steps named by ARGS, or all of STEPS, prints what each took, and fails
# when one did. Where all run, those of QUIET, which test nothing that depends on time, run beside the
# others once the first step has ended: many tests wait, and leave a processor to them.
main() {
	local all=$1 quiet=$2 name rc=0 pid=''
	shift 2
	if [ "${1:-}" = --step ]; then
		"step_${2//-/_}" "${@:3}"
		return
	fi
	if [ "${1:-}" = -h ] || [ "${1:-}" = --help ]; then
		echo "usage: $0 [STEP...]"
		echo "steps: $all"
		return
	fi
	CI_LOGS=$(mktemp -d)
	export CI_LOGS
	# shellcheck disable=SC2016 # the process of that time
	trap '[ -z "${pid:-}" ] || kill "$pid" 2>/dev/null; rm -rf "$CI_LOGS"' EXIT
	[ $# -eq 0 ] || quiet=''
	# shellcheck disable=SC2086 # names without spaces
	[ $# -gt 0 ] || set -- $all
	for name in "$@"; do
		if ! declare -F "step_${name//-/_}" >/dev/null; then
			echo "$0: no step \"$name\"; there are: $all" >&2
			return 2
		fi
	done
	local begin=$SECONDS
	for name in "$@"; do
		[[ " $quiet " != *" $name "* ]] || continue
		one_step "$name"
		if [ -n "$quiet" ] && [ -z "$pid" ]; then
			# shellcheck disable=SC2086 # names without spaces
			beside $quiet &
			pid=$!
		fi
	done
	if [ -n "$pid" ]; then
		wait "$pid" || rc=1
		pid=''
		for name in $quiet; do cat "$CI_LOGS/said-$name"; done
	fi
	# The lines of the README's own command once more, where they are looked for: near the end.
	for name in "$CI_LOGS"/readme-*; do
		[ -s "$name" ] || continue
		printf '\n=== the README'\''s test command said, with %s\n' "${name##*/readme-}"
		tail -n 200 "$name"
	done
	local failed=''
	printf '\n=== summary\n'
	for name in "$@"; do
		cat "$CI_LOGS/verdict-$name" || rc=1
		grep -q -E '^[^ ]+ +(ok|SKIPPED) ' "$CI_LOGS/verdict-$name" || failed+=" $name"
	done
	printf '%-12s %-7s %5d s\n' total '' $((SECONDS - begin))
	for name in $failed; do
		printf '\n=== %s failed\n' "$name"
		why_failed "$name" || true
	done
	[ -z "$failed" ] || rc=1
	[ $rc -eq 0 ] || printf '\nFAILED:%s\n' "$failed"
	return $rc
}

# runs_386: whether the kernel runs 386 programs. That of a virtual machine may
# not.
runs_386() {
	local dir
	dir=$(mktemp -d)
	printf 'package main\n\nfunc main() {}\n' >"$dir/main.go"
	CGO_ENABLED=0 GOARCH=386 go build -o "$dir/main" "$dir/main.go" && { "$dir/main"; } 2>/dev/null
	local status=$?
	rm -rf "$dir"
	return $status
}

# need_apt BIN PACKAGE...: adds Debian packages to those that are missing, when
# BIN, a program or a file, is.
need_apt() {
	local want=$1
	shift
	if ! command -v "$want" >/dev/null && [ ! -e "$want" ]; then
		wanted+=("$want")
		missing+=("$@")
	fi
}

# need_programs: installs what tests and tools use beside Go, in one go.
need_programs() {
	local wanted=() missing=()
	need_apt git git
	need_apt cc gcc libc6-dev
	need_apt curl curl ca-certificates
	need_apt shellcheck shellcheck
	need_apt zip zip
	need_apt xmllint libxml2-utils
	need_apt python3 python3
	need_apt jing jing
	need_apt prometheus prometheus
	need_apt localedef libc-bin
	need_apt /usr/share/i18n/locales/de_DE locales
	need_apt npm nodejs npm
	# The languages of dev/e2e/openapitest/languages.
	need_apt php php-cli php-curl
	need_apt javac default-jdk-headless
	# The shells that the command's completion is for.
	need_apt /usr/share/bash-completion/bash_completion bash-completion
	need_apt zsh zsh
	need_apt fish fish
	# The server's programs are not in PATH, the client that comes with it is.
	need_apt pg_ctlcluster postgresql
	need_apt /usr/sbin/pgbouncer pgbouncer
	if ! command -v chromium-browser >/dev/null && ! command -v google-chrome >/dev/null; then
		need_apt chromium chromium
	fi
	install_missing
	german
}

# german: makes the language of in_zone, which PostgreSQL wants to be there.
german() {
	locale -a | grep -q -x -i -E 'de_DE\.utf-?8' || as_root localedef -i de_DE -f UTF-8 de_DE.UTF-8
}

# as_root COMMAND...
as_root() {
	if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -n "$@"; fi
}

# install_missing: installs what need_apt found missing.
install_missing() {
	local want
	[ ${#missing[@]} -gt 0 ] || return 0
	echo "installing ${missing[*]}"
	if ! command -v apt-get >/dev/null; then
		echo "no ${wanted[*]} here and no apt-get to install them with" >&2
		return 1
	fi
	as_root apt-get update -qq
	as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
	for want in "${wanted[@]}"; do
		command -v "$want" || ls "$want"
	done
}

# npm_packages [DIR...]: installs what tests use of npm, as the lock files say: all of them, or those in DIR.
npm_packages() {
	local dir
	# shellcheck disable=SC2046 # folders without spaces
	[ $# -gt 0 ] || set -- $(repo_files '*/package-lock.json' | xargs -n 1 dirname)
	for dir in "$@"; do
		npm ci --prefix "$dir" --no-audit --no-fund
	done
}

# minor VERSION: 1.26 of go1.26.11.
minor() { cut -d. -f1,2 <<<"${1#go}"; }

# other_releases: the supported Go releases that are not the installed one.
other_releases() {
	local v installed
	installed=$(minor "$(GOTOOLCHAIN=local go env GOVERSION)")
	for v in $go_releases; do
		[ "$(minor "$v")" = "$installed" ] || echo "$v"
	done
}

# repo_files PATTERN...: the tracked files that match, whoever owns the
# checkout.
repo_files() {
	git -c safe.directory='*' ls-files -- "$@"
}

# modules: the directory of every module, the root's first.
modules() {
	local f
	repo_files 'go.mod' '*/go.mod' | grep -v -E '(^|/)testdata/' | while read -r f; do
		dirname "$f"
	done | sort
}

nested_modules() { modules | grep -v -x -F .; }

# released_modules KIND: the nested modules that users build, those that others
# require first; only libraries or programs, or all.
released_modules() { awk -v kind="$1" '!/^(#|$)/ && (kind == "all" || $2 == kind) { print $1 }' api/modules.txt; }

module=github.com/jobboard-sdk/jobboard-go

# as_user DIR COMMAND...: runs a command for which the modules of this repository are those of this checkout's tags, with
# a module cache in DIR. Modules of others come from the cache of whoever runs this, or from the proxy.
as_user() {
	local dir=$1 cache proxy here
	shift
	cache=$(go env GOMODCACHE) proxy=$(go env GOPROXY) here=$(git rev-parse --path-format=absolute --git-common-dir)
	GOMODCACHE=$dir GOPROXY="file://$cache/cache/download,$proxy" GOPRIVATE="$module*" GONOPROXY='' GONOSUMDB='' GOSUMDB=off \
		GOFLAGS="${GOFLAGS:-} -modcacherw" GIT_CONFIG_COUNT=2 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*' \
		GIT_CONFIG_KEY_1="url.file://$here.insteadOf" GIT_CONFIG_VALUE_1="https://$module" "$@"
}

# The licences that what a user compiles may have. Each lets a program be built
# with it and given away under any terms, as long as the text goes along.
allowed_licences=Apache-2.0,BSD-2-Clause,BSD-3-Clause,ISC,MIT
# MPL-2.0 asks for the source of its own files where they were changed, which
# nobody does: good enough for these, not for more.
allowed_mpl='github\.com/hashicorp/'
# MIT-0, whose text go-licenses does not know.
read_licences=github.com/segmentio/asm

# licences OS...: checks the licences of what a user compiles on these systems. The confidence is below
# the usual one, since some licences have their own name in their text. An own package has the
# repository's licence; of a nested module the licence stands above it.
licences() {
	local dir os
	for dir in . $(released_modules all); do
		for os in "$@"; do
			echo "$dir $os"
		done
	done | xargs -P 2 -L 1 "$self" --step licences-of
}

# step_licences_of DIR OS: one module on one system.
step_licences_of() {
	local said status=0 bad
	said=$(cd "$1" && GOROOT=$(go env GOROOT) GOOS=$2 CGO_ENABLED=0 "$bin/go-licenses" check ./... --confidence_threshold 0.85 \
		--ignore "$module" --ignore "$read_licences" --allowed_licenses "$allowed_licences" 2>&1) || status=$?
	bad=$(sed -n 's/^Not allowed license \(.*\) found for library \(.*\)/\2 has \1/p' <<<"$said")
	# It may also fail before it has looked at anything.
	[ $status -eq 0 ] || [ -n "$bad" ] || bad=$said
	bad=$(grep -v -x -E "$allowed_mpl.* has MPL-2.0" <<<"$bad" | grep . || true)
	if [ -n "$bad" ]; then
		printf '%s, %s:\n%s\n' "$1" "$2" "$bad" >&2
		return 1
	fi
}

# cross SYSTEMS DIR...: builds and vets modules, with their tests, for other systems.
cross() {
	local systems=$1 target dir
	shift
	for target in $systems; do
		for dir in "$@"; do
			echo "$target $dir"
			CGO_ENABLED=0 GOOS=${target%/*} GOARCH=${target#*/} go -C "$dir" build -buildvcs=false ./...
			CGO_ENABLED=0 GOOS=${target%/*} GOARCH=${target#*/} go -C "$dir" vet ./...
		done
	done
}

# tools: builds the tools that are pinned here and in dev/tools/go.mod into .ci/bin,
# when they are not there or something about them changed.
tools() {
	local stamp
	stamp=$({
		go version
		echo "$actionlint $go_licenses $cyclonedx"
		cat dev/tools/go.mod dev/tools/go.sum
	} | sha256sum)
	if [ "$(cat "$bin/stamp" 2>/dev/null)" = "$stamp" ]; then
		echo "tools are up to date in .ci/bin"
		return
	fi
	mkdir -p "$bin"
	rm -f "$bin/stamp"
	# Without C: setup installs the compiler at the same time.
	export CGO_ENABLED=0 GOBIN=$bin
	go -C dev/tools install -buildvcs=false tool
	go install "$actionlint"
	go install "$go_licenses"
	go install "$cyclonedx"
	unset CGO_ENABLED GOBIN
	printf '%s\n' "$stamp" >"$bin/stamp"
}

# until_alive RUN LOG COMMAND: calls RUN LOG COMMAND, which tests packages and writes what go says to LOG. The race
# detector itself dies now and then under testing/synctest, which https://github.com/golang/go/issues/78156 is about. Where
# that is all, the packages in which it died are tested again, three times at most.
until_alive() {
	local run=$1 log=$2 command=$3 again _
	"$run" "$log" "$command" && return
	for _ in 1 2 3; do
		grep -q -E '^SIGSEGV: |ThreadSanitizer: CHECK failed' "$log" || return 1
		if grep -q -E '^ *--- FAIL|DATA RACE|^panic: ' "$log"; then return 1; fi
		again=$(sed -n 's/^FAIL\t\([^ \t]*\).*/\1/p' "$log" | sort -u | paste -s -d ' ')
		[ -n "$again" ] || return 1
		echo "the detector died, and no test failed: once more $again"
		"$run" "$log" "go test $again" && return
	done
	return 1
}

# tests LOG DIR ARGS...: runs the tests of the module in DIR, or those of $packages. The whole log is
# only printed on failure; a line that says "figure:" always is. A test that was
# skipped fails too, unless .ci/may-skip names it.
tests() {
	local log=$1 dir=$2 rc=0 missed
	shift 2
	# shellcheck disable=SC2086 # packages without spaces
	go -C "$dir" test -v "$@" ${packages:-./...} >"$log" 2>&1 || rc=$?
	if [ $rc -ne 0 ]; then
		grep -v -E '^ *(=== (RUN|PAUSE|CONT)|--- PASS|PASS$)' "$log" | tail -n 600
		# What tests log can be longer than that: say again what failed.
		grep -E -A 20 '^ *--- FAIL|^FAIL|^panic:|^fatal error:|DATA RACE' "$log" | head -n 300
		return $rc
	fi
	grep -E '^(ok|-test.shuffle)|figure:|no test files' "$log"
	missed=$(sed -n 's/^ *--- SKIP: \([^ ]*\).*/\1/p' "$log" | sort -u | grep -v -x -E -f "$root/.ci/may-skip" || true)
	if [ -n "$missed" ]; then
		printf 'skipped, and .ci/may-skip does not name them:\n%s\n' "$missed" >&2
		return 1
	fi
}

# fuzz_binary DIR: where the tests of a package are, compiled for fuzzing.
fuzz_binary() { echo "$CI_LOGS/fuzz-${1//\//_}.test"; }

# fuzz_targets: prints a line "DIR NAME" for each fuzz target.
fuzz_targets() {
	repo_files '*_test.go' | xargs -r grep -o -H '^func Fuzz[A-Za-z0-9_]*' |
		sed -E 's,^([^/]*):func ,. ,; s,/[^/]*:func , ,'
}

# seconds TIME: of 10s, 5m or 1h.
seconds() {
	case $1 in
	*h) echo $((${1%h} * 3600)) ;;
	*m) echo $((${1%m} * 60)) ;;
	*s) echo "${1%s}" ;;
	*)
		echo "FUZZTIME: $1 is not a number with s, m or h" >&2
		return 1
		;;
	esac
}

# fuzz_one TIME DIR NAME: one target on one worker; its last words on
# success, all of them on failure. The engine's own clock does not stop an
# input that hangs, so there is another around it.
fuzz_one() {
	local log=$CI_LOGS/fuzz-${2//\//_}-$3 found
	cd "$2" || return
	found=$(go env GOCACHE)/fuzz/$(go list .) || return # where go test keeps what it finds
	for _ in 1 2; do
		if timeout -k 10 "$FUZZ_LIMIT" "$(fuzz_binary "$2")" -test.run '^$' -test.fuzz "^$3\$" -test.fuzztime "$1" \
			-test.fuzzminimizetime 5s -test.parallel 1 -test.fuzzcachedir "$found" >"$log" 2>&1; then
			printf '%-28s %s\n' "$3" "$(grep '^fuzz: elapsed' "$log" | tail -n 1 | sed 's/^fuzz: //')"
			return
		fi
		# The engine may report its own end of time as a failure. A finding
		# always names the input it has written.
		if grep -q 'Failing input written' "$log" || ! grep -q 'context deadline exceeded' "$log"; then
			break
		fi
	done
	printf '%s FAILED\n%s\n' "$3" "$(tail -n 60 "$log")"
	return 1
}

# fuzz_all TIME [COUNT]: every target, or COUNT of them, drawn anew each time; two at a time. The targets of
# a package are compiled once.
fuzz_all() {
	local list n dir
	FUZZ_LIMIT=$(($(seconds "$1") + 180))
	export FUZZ_LIMIT
	list=$(fuzz_targets)
	if [ -z "$list" ]; then
		echo "there is no fuzz target"
		return
	fi
	n=$(wc -l <<<"$list")
	if [ -n "${2:-}" ]; then list=$(shuf -n "$2" <<<"$list"); fi
	echo "$(wc -l <<<"$list") of $n targets, $1 each, two at a time"
	while read -r dir; do
		go -C "$dir" test -c -fuzz . -o "$(fuzz_binary "$dir")" . || return
	done < <(cut -d ' ' -f 1 <<<"$list" | sort -u)
	export -f fuzz_one fuzz_binary
	xargs -P 2 -L 1 bash -c 'fuzz_one "$@"' fuzz_one "$1" <<<"$list"
}

# The race detector for what keeps a copy. SQLite is C translated to Go, full of pointer arithmetic that the detector's
# compiler checks one by one: a third of these tests' processor time, and no fault of ours.
# shellcheck disable=SC2034 # .ci/run and .ci/nightly use it
race=(-race '-gcflags=modernc.org/...=-d=checkptr=0')

# step_module DIR ARGS...: one module, or those of its packages that $packages names, with
# arguments of go test; what it says comes at once.
step_module() {
	local dir=$1 log rc=0
	log=$(mktemp "$CI_LOGS/module-${1//\//_}-XXXX")
	shift
	{ go -C "$dir" vet ./... && in_zone "$far" tests "$log" "$dir" -vet=off "$@"; } >"$log-said" 2>&1 || rc=1
	printf '%s %s\n%s\n' "$dir" "$*" "$(cat "$log-said")"
	return $rc
}
