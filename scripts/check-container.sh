#!/usr/bin/env bash
# Builds the file system that the Containerfile describes, without a container engine, and tries what it starts.
#
#   sudo scripts/check-container.sh [--keep] [--dir DIR]
#
# debootstrap takes the place of FROM; COPY and RUN are done as written; ENTRYPOINT is started as its user in namespaces
# of its own, without a network, and a session is opened in it. Prints the size. Needs root, debootstrap and .venv.
# DEBIAN_MIRROR chooses another mirror.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
readonly suite=bookworm
dir=/var/tmp/deskhand-container
keep=

say() { printf '== %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }

main() {
    while (($#)); do
        case $1 in
            --keep) keep=1 ;;
            --dir) dir=$2; shift ;;
            *) fail "unknown option $1; see the head of scripts/check-container.sh" ;;
        esac
        shift
    done
    ((EUID == 0)) || fail "must be root: chroot and mounts need it"
    command -v debootstrap >/dev/null || fail "needs debootstrap: apt-get install debootstrap"
    grep -q "^FROM debian:$suite-slim$" Containerfile || fail "the Containerfile is not made from debian:$suite-slim"

    [[ $keep ]] || trap 'rm -rf --one-file-system "$dir"' EXIT
    rm -rf --one-file-system "$dir"
    mkdir -p "$dir/dist"
    .venv/bin/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir "$dir/dist" .
    say "debootstrap $suite"
    debootstrap --variant=minbase "$suite" "$dir/root" ${DEBIAN_MIRROR:+"$DEBIAN_MIRROR"} >"$dir/debootstrap.log"
    find "$dir/root/var/cache/apt/archives" "$dir/root/var/lib/apt/lists" -type f -delete
    # As the slim images are: without documentation and translations, and packages are not kept.
    printf 'path-exclude %s\n' '/usr/share/doc/*' '/usr/share/man/*' '/usr/share/info/*' '/usr/share/locale/*' \
        >"$dir/root/etc/dpkg/dpkg.cfg.d/slim"
    echo 'DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb /var/cache/apt/*.bin"; };' \
        >"$dir/root/etc/apt/apt.conf.d/90slim"
    rm -rf "$dir/root"/usr/share/{doc,man,info,locale}
    mkdir -p "$dir/root/usr/share/man/man1"
    local before
    before=$(du -sm --one-file-system "$dir/root" | cut -f 1)
    borrow_network_settings
    build
    chroot "$dir/root" dpkg-query -W -f '${Installed-Size} ${Package}\n' | sort -rn | head -8 >&2
    say "size: $(du -sm --one-file-system "$dir/root" | cut -f 1) MB, $before MB of them Debian's base"
    try
}

# How this machine reaches the package registries, for the RUN lines.
borrow_network_settings() {
    local file
    for file in /etc/resolv.conf /etc/hosts /etc/pip.conf; do
        [[ ! -e $file ]] || cp -L "$file" "$dir/root$file"
    done
    apt-config dump | grep -E '^Acquire::(https?::Proxy|Check-Valid-Until) ' >"$dir/root/etc/apt/apt.conf.d/90network" || true
    if compgen -G '/usr/local/share/ca-certificates/*' >/dev/null; then
        mkdir -p "$dir/root/usr/local/share/ca-certificates"
        cp -L /usr/local/share/ca-certificates/* "$dir/root/usr/local/share/ca-certificates/"
        cp -L /etc/ssl/certs/ca-certificates.crt "$dir/root/etc/ca-bundle.crt"
    fi
}

# Each COPY and RUN of the Containerfile, in order.
build() {
    local instruction
    while IFS= read -r -d '' instruction; do
        case $instruction in
            'COPY dist/*.whl /tmp/') cp "$dir"/dist/*.whl "$dir/root/tmp/" ;;
            COPY*) fail "this script cannot do: $instruction" ;;
            RUN*) say "${instruction:0:70}"; inside root "${instruction#RUN }" >"$dir/run.log" 2>&1 || { tail "$dir/run.log" >&2; fail "that failed"; } ;;
        esac
    done < <(grep -v '^#' Containerfile | sed -e ':a' -e '/\\$/{N;s/\\\n//;ta' -e '}' | tr '\n' '\0')
}

# What ENTRYPOINT starts, with a client that has nothing but Python.
try() {
    local user command
    user=$(sed -n 's/^USER //p' Containerfile)
    command=$(sed -n 's/^ENTRYPOINT //p' Containerfile | tr -d '[],"')
    cp scripts/container_client.py "$dir/root/tmp/client.py"
    say "as $user: $command"
    inside "$user" "$command >/tmp/said 2>/tmp/errors & python3 /tmp/client.py; status=\$?; kill \$!; wait \$!; cat /tmp/errors >&2; ls -A /tmp; exit \$status" --net
}

# inside USER SCRIPT [NAMESPACES]: run a script in the file system, in namespaces that end with it.
inside() {
    local who=$1 script=$2
    shift 2
    # shellcheck disable=SC2016 # expanded by the inner shell
    unshare --mount --pid --ipc --fork --kill-child "$@" bash -euc '
        machine=$1 who=$2 script=$3
        if [[ $who != root ]]; then ip link set lo up; fi
        mount -t proc proc "$machine/proc"
        mount -t tmpfs -o mode=755 dev "$machine/dev"
        for node in null zero full random urandom; do
            touch "$machine/dev/$node"; mount --bind "/dev/$node" "$machine/dev/$node"
        done
        mkdir "$machine/dev/shm"
        ln -s /proc/self/fd "$machine/dev/fd"
        mount -t tmpfs -o mode=1777 shm "$machine/dev/shm"
        bundle=; [[ ! -e $machine/etc/ca-bundle.crt ]] || bundle=/etc/ca-bundle.crt
        home=/root; [[ $who == root ]] || home=/home/$who
        chroot --userspec="$who:$who" --groups= "$machine" env -i HOME="$home" LANG=C.UTF-8 \
            PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin ${bundle:+PIP_CERT=$bundle} \
            ${http_proxy:+http_proxy=$http_proxy} ${https_proxy:+https_proxy=$https_proxy} bash -c "cd; $script" </dev/null
    ' - "$dir/root" "$who" "$script"
}

main "$@"
