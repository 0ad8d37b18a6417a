"""What tells a virtual machine or a container from a person's own machine."""

from __future__ import annotations

import pytest

from deskhand.serving.virtual import Facts, look, virtual


@pytest.mark.parametrize(
    ("facts", "kind"),
    [
        (Facts(), None),
        (Facts("none"), None),
        (Facts("kvm"), "virtual machine (kvm)"),
        (Facts("apple"), "virtual machine (apple)"),
        (Facts("microsoft"), "virtual machine (microsoft)"),
        (Facts("docker"), "container (docker)"),
        (Facts("systemd-nspawn"), "container (systemd-nspawn)"),
        (Facts("wsl"), None),
        (
            Facts(None, (), {"release": "5.15.90.1-microsoft-standard-WSL2", "cpu": "flags : hypervisor"}),
            None,
        ),
        (Facts("none", ("/.dockerenv",)), None),
        (Facts(None, ("/.dockerenv",)), "container (/.dockerenv is there)"),
        (Facts(None, (), {"cgroup": "0::/kubepods/burstable/pod1"}), "container (kubepods)"),
        (Facts(None, (), {"maker": "QEMU\n", "product": "Standard PC"}), "virtual machine (QEMU)"),
        (Facts(None, (), {"maker": "Microsoft Corporation", "product": "Virtual Machine"}), "Hyper-V"),
        (Facts(None, (), {"maker": "Microsoft Corporation", "product": "Surface Laptop"}), None),
        (Facts(None, (), {"maker": "LENOVO", "product": "20XW"}), None),
        (Facts(None, (), {"hypervisor": "xen\n"}), "virtual machine (xen)"),
        (Facts(None, (), {"tree": "linux,kvm\0"}), "virtual machine (linux,kvm)"),
        (Facts(None, (), {"cpu": "model name : x\nflags : fpu hypervisor vme\n"}), "virtual machine"),
        (Facts(None, (), {"cpu": "model name : hypervisor 3000\nflags : fpu vme\n"}), None),
    ],
)
def test_what_kind_of_machine_it_is(facts: Facts, kind: str | None) -> None:
    found = virtual(facts)
    assert (found is None) == (kind is None)
    assert kind is None or kind in found


def test_this_machine_can_be_looked_at() -> None:
    assert look().texts["cpu"]
