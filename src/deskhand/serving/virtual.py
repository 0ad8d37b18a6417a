"""Whether this machine is a virtual one or a container: then others are meant to reach its agent."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

_CONTAINERS = frozenset((
    "docker", "podman", "lxc", "lxc-libvirt", "systemd-nspawn", "openvz", "rkt", "proot", "pouch",
    "container-other",
))  # fmt: skip
_NONE = frozenset(("", "none"))
_MAKERS = {
    "qemu": "QEMU", "kvm": "KVM", "vmware": "VMware", "virtualbox": "VirtualBox", "innotek": "VirtualBox",
    "xen": "Xen", "parallels": "Parallels", "apple virtualization": "Apple Virtualization", "bochs": "Bochs",
    "virtual machine": "Hyper-V", "google compute engine": "Google Compute Engine",
    "amazon ec2": "Amazon EC2", "openstack": "OpenStack", "bhyve": "bhyve", "crosvm": "crosvm",
}  # fmt: skip
"""What the firmware of virtual machines says of itself, in lower case, and what they are called."""
_RUNTIMES = ("docker", "podman", "kubepods", "containerd", "lxc", "libpod")

_FILES = {
    "release": "/proc/sys/kernel/osrelease",
    "cgroup": "/proc/1/cgroup",
    "maker": "/sys/class/dmi/id/sys_vendor",
    "product": "/sys/class/dmi/id/product_name",
    "hypervisor": "/sys/hypervisor/type",
    "tree": "/proc/device-tree/hypervisor/compatible",
    "cpu": "/proc/cpuinfo",
}
_MARKS = ("/.dockerenv", "/run/.containerenv", "/run/systemd/container")


@dataclass(frozen=True)
class Facts:
    """What can be read of it."""

    detected: str | None = None
    """What systemd-detect-virt said; None where that is not to be had."""
    marks: tuple[str, ...] = ()
    """Files that only containers have."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """What some files hold; see _FILES."""


def virtual(facts: Facts) -> str | None:
    """What kind of virtual machine or container it is, in words; None if it is neither.

    WSL counts as neither: it is a person's own machine.
    """
    text = {name: value.strip().lower() for name, value in facts.texts.items()}
    if facts.detected == "wsl" or "microsoft" in text.get("release", ""):
        return None
    if facts.detected is not None:
        if facts.detected in _NONE:
            return None
        kind = "container" if facts.detected in _CONTAINERS else "virtual machine"
        return f"a {kind} ({facts.detected})"
    if facts.marks:
        return f"a container ({facts.marks[0]} is there)"
    for runtime in _RUNTIMES:
        if runtime in text.get("cgroup", ""):
            return f"a container ({runtime})"
    firmware = f"{text.get('maker', '')} {text.get('product', '')}"
    for said, name in _MAKERS.items():
        if said in firmware:
            return f"a virtual machine ({name})"
    product = text.get("hypervisor") or text.get("tree", "").strip("\0")
    if product:
        return f"a virtual machine ({product})"
    if any(" hypervisor" in line for line in text.get("cpu", "").splitlines() if line.startswith("flags")):
        return "a virtual machine (its processor says so)"
    return None


def look() -> Facts:
    """The facts about this machine."""
    texts = {}
    for name, path in _FILES.items():
        try:
            texts[name] = Path(path).read_text(errors="replace")
        except OSError:
            continue
    return Facts(_detected(), tuple(path for path in _MARKS if Path(path).exists()), texts)


def _detected() -> str | None:
    try:
        answer = subprocess.run(["systemd-detect-virt"], capture_output=True, text=True, timeout=5)
    except (OSError, subprocess.TimeoutExpired):
        return None
    # It ends with 1 where it finds nothing, and says so.
    return answer.stdout.strip() or None
