#!/usr/bin/env bash
# Runs make targets on a Debian machine that has only git, make and apt: a folder made by debootstrap.
#
#   sudo scripts/check-fresh-machine.sh [--as-user] [--keep] [--dir DIR] [TARGET...]      (default target: setup)
#
# Clones what is committed, runs each target twice (the second shows what a repeat costs) and removes the
# folder. --as-user runs as a user with sudo instead of as root. --keep leaves the machine, and a kept machine is
# used again. Mounts and processes live in namespaces of their own, so nothing is left when this ends.
# Needs root and the package debootstrap. DEBIAN_MIRROR and DEBIAN_SUITE choose another mirror or release.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
readonly source=$PWD
readonly suite=${DEBIAN_SUITE:-bookworm}
readonly mirror=${DEBIAN_MIRROR:-}

dir=/var/tmp/deskhand-fresh
keep=
user=root
targets=()

say() { printf '== %s\n' "$*" >&2; }

main() {
    parse "$@"
    ((EUID == 0)) || { say "must be root: chroot and mounts need it"; exit 1; }
    command -v debootstrap >/dev/null || { say "needs debootstrap: apt-get install debootstrap"; exit 1; }

    local base=$dir/$suite machine=$dir/$suite-$user
    [[ $keep ]] || trap 'rm -rf --one-file-system "$dir"' EXIT
    if [[ ! -e $base/.complete ]]; then
        rm -rf --one-file-system "$base"
        mkdir -p "$dir"
        timed "debootstrap $suite" debootstrap --variant=minbase "$suite" "$base" ${mirror:+"$mirror"} >"$dir/debootstrap.log"
        touch "$base/.complete"
    fi
    if [[ ! -e $machine ]]; then
        cp -a "$base" "$machine"
        borrow_network_settings "$machine"
        timed "git and make" inside "$machine" root /root "
            apt-get -qq update
            DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o Dpkg::Use-Pty=0 install --no-install-recommends \
                ca-certificates git make $([[ $user == root ]] || echo sudo) >/dev/null
            rm -rf /var/lib/apt/lists/* /var/cache/apt/archives/*.deb"
        borrow_certificates "$machine"
        # The clone reads a folder that belongs to another user on the machine outside.
        chroot "$machine" git config --system safe.directory /mnt/deskhand.git
        [[ $user == root ]] || add_user "$machine"
    fi

    local home=/root
    [[ $user == root ]] || home=/home/$user
    inside "$machine" "$user" "$home" "
        [ -d deskhand ] || git clone -q /mnt/deskhand.git deskhand
        cd deskhand
        git pull -q --ff-only
        git log -1 --format='commit %h %s'
        for program in python3 Xvfb; do command -v \$program || echo \"no \$program yet\"; done"
    local target
    for target in "${targets[@]}"; do
        timed "make $target as $user" inside "$machine" "$user" "$home/deskhand" "make $target"
        timed "make $target as $user, again" inside "$machine" "$user" "$home/deskhand" "make $target"
    done
}

parse() {
    while (($#)); do
        case $1 in
            --as-user) user=tester ;;
            --keep) keep=1 ;;
            --dir) dir=$2; shift ;;
            -h | --help) sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; exit 0 ;;
            -*) say "unknown option $1; see the head of ${BASH_SOURCE[0]}"; exit 2 ;;
            *) targets+=("$1") ;;
        esac
        shift
    done
    ((${#targets[@]})) || targets=(setup)
}

# How this machine reaches the package registries: name server, proxies and certificates, and nothing else.
borrow_network_settings() {
    local file
    for file in /etc/resolv.conf /etc/hosts /etc/pip.conf; do
        [[ ! -e $file ]] || cp -L "$file" "$1$file"
    done
    apt-config dump | grep -E '^Acquire::(https?::Proxy|Check-Valid-Until) ' >"$1/etc/apt/apt.conf.d/90network" || true
}

borrow_certificates() {
    if compgen -G '/usr/local/share/ca-certificates/*' >/dev/null; then
        cp -L /usr/local/share/ca-certificates/* "$1/usr/local/share/ca-certificates/"
        chroot "$1" update-ca-certificates >/dev/null 2>&1
    fi
}

add_user() {
    chroot "$1" useradd --create-home --shell /bin/bash "$user"
    echo "$user ALL=(ALL) NOPASSWD: ALL" >"$1/etc/sudoers.d/$user"
}

# inside MACHINE USER FOLDER SCRIPT: run a script there, in namespaces that end with it.
inside() {
    local machine=$1 who=$2 folder=$3 script=$4 name
    local variables=(HOME="/root" PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8)
    [[ $who == root ]] || variables[0]=HOME=/home/$who
    for name in http_proxy https_proxy no_proxy SSL_CERT_FILE PIP_CERT PIP_DEFAULT_TIMEOUT CI; do
        [[ -z ${!name:-} ]] || variables+=("$name=${!name}")
    done
    # shellcheck disable=SC2016 # expanded by the inner shell
    unshare --mount --pid --ipc --fork --kill-child bash -euc '
        machine=$1 source=$2 who=$3 folder=$4 script=$5
        shift 5
        mount -t proc proc "$machine/proc"
        mount -t sysfs -o ro sysfs "$machine/sys"
        mount -t tmpfs -o mode=755 dev "$machine/dev"
        for node in null zero full random urandom tty; do
            touch "$machine/dev/$node"; mount --bind "/dev/$node" "$machine/dev/$node"
        done
        mkdir "$machine/dev/pts" "$machine/dev/shm"
        mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts "$machine/dev/pts"
        ln -s pts/ptmx "$machine/dev/ptmx"
        ln -s /proc/self/fd "$machine/dev/fd"
        ln -s fd/0 "$machine/dev/stdin"; ln -s fd/1 "$machine/dev/stdout"; ln -s fd/2 "$machine/dev/stderr"
        mount -t tmpfs -o mode=1777 shm "$machine/dev/shm"
        mkdir -p "$machine/mnt/deskhand.git"
        mount --bind -o ro "$source/.git" "$machine/mnt/deskhand.git"
        chroot --userspec="$who:$who" --groups= "$machine" env -i "$@" \
            bash -euc "cd \"\$1\"; eval \"\$2\"" - "$folder" "$script" </dev/null
    ' - "$machine" "$source" "$who" "$folder" "$script" "${variables[@]}"
}

timed() {
    local what=$1 begin
    shift
    say "$what"
    begin=$(date +%s%N)
    "$@"
    say "$what: $((($(date +%s%N) - begin) / 1000000)) ms"
}

main "$@"
