#!/usr/bin/env bash
# Runs the suite again and again, each time in a clean clone of the last commit, and writes a line for each run
# to build/proof/summary.txt; the output of a run is next to it.
#
#   scripts/prove.sh --idle 5 --stressed 2               # make test five times, make stress twice
#   scripts/prove.sh --repeat 50 TEST...                 # each test 50 times on a loaded machine
#   scripts/prove.sh --repeat 50 --from FILE             # the same for each test named in a file, one a line
#
# Goes on after a run that failed, and fails at the end if any did.
set -uo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
readonly folder=$PWD/build/proof
commit=$(git rev-parse --short HEAD) || exit
readonly commit
idle=0 stressed=0 repeat=0 failed=0
tests=()

main() {
    while (($#)); do
        case $1 in
            --idle) idle=$2; shift 2 ;;
            --stressed) stressed=$2; shift 2 ;;
            --repeat) repeat=$2; shift 2 ;;
            --from) mapfile -t -O ${#tests[@]} tests < <(grep -v '^#' "$2"); shift 2 ;;
            -*) echo "prove.sh: no option $1; there are --idle, --stressed, --repeat and --from" >&2; exit 2 ;;
            *) tests+=("$1"); shift ;;
        esac
    done
    if ((idle + stressed + repeat == 0)); then
        echo "prove.sh: nothing to run; say --idle N, --stressed N or --repeat N TEST..." >&2
        exit 2
    fi
    mkdir -p "$folder"
    local number test
    for ((number = 1; number <= idle; number++)); do
        fresh_clone
        run "idle $number of $idle" test
    done
    for ((number = 1; number <= stressed; number++)); do
        fresh_clone
        run "stressed $number of $stressed" stress
    done
    if ((repeat)); then
        fresh_clone
        for test in "${tests[@]}"; do
            # With --repeat the parameters of a test are followed by the number of the run.
            local chosen=()
            if [[ $test == *\[*\] ]]; then
                local parameters=${test#*[}
                parameters=${parameters%]}
                chosen=(-k "${parameters// / and }")
            fi
            run "stressed, $repeat times $test" stress --repeat "$repeat" "${test%%[*}" "${chosen[@]}"
        done
    fi
    ((failed == 0)) || { echo "$failed failed; see $folder" >&2; exit 1; }
}

fresh_clone() {
    rm -rf "$clone"
    clone=$(mktemp -d "${TMPDIR:-/tmp}/deskhand-proof.XXXXXX") && git clone --quiet --no-hardlinks . "$clone/deskhand"
}

# run WHAT TARGET ARGUMENT...: make the target in the clone, with arguments for pytest.
run() {
    local what=$1 target=$2 began=$SECONDS outcome=passed name counts
    shift 2
    name=$(date +%Y%m%d-%H%M%S)
    if ! make -C "$clone/deskhand" "$target" PYTEST_ARGS="${*@Q}" >"$folder/$name.log" 2>&1; then
        outcome=FAILED
        failed=$((failed + 1))
    fi
    counts=$(sed -nE 's/^=+ (.*(passed|failed|error).*) =+$/\1/p' "$folder/$name.log" | tail -1)
    printf '%s %s %s: %s in %d s, load %s: %s\n' "$name" "$commit" "$what" "$outcome" $((SECONDS - began)) \
        "$(cut -d' ' -f1 /proc/loadavg)" "${counts:-see $name.log}" | tee -a "$folder/summary.txt"
    grep -E '^(FAILED|ERROR) ' "$folder/$name.log" | sed 's/^/    /' | tee -a "$folder/summary.txt"
}

clone=
trap 'rm -rf "$clone"' EXIT
main "$@"
