"""What clients with limited tokens reach: the same as others, less what their tokens are not good for."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from ..engine.restricted import Restricted
from ..model.errors import ConnectFailed, NotConnected, Refused
from ..model.operations import NAMES, Cancel, Operation, Runner
from .tokens import Scope

R = TypeVar("R")

OpenApp = Callable[[str], Runner]
"""Gives a runner that reaches one app of the desktop and nothing else. Raises NotFound, Ambiguous."""


class Limited:
    """The runners for each scope of a token, made when they are first needed, until `close`."""

    def __init__(
        self, runner: Runner, name: str | None, *, confined: bool = False, open_app: OpenApp | None = None
    ) -> None:
        """`runner` is for clients without limits, and reaches the app of that name, if not the desktop.

        `confined` says that it keeps all input within that app. For a desktop, `open_app` reaches one app.
        """
        self._runner = runner
        self._name = name
        self._confined = confined
        self._open_app = open_app
        self._made: dict[Scope, Runner] = {}
        self._apps: dict[str, _OneApp] = {}
        self._lock = threading.Lock()

    def __call__(self, scope: Scope) -> Runner:
        """The runner for tokens of that scope."""
        with self._lock:
            if scope not in self._made:
                self._made[scope] = self._make(scope)
            return self._made[scope]

    def close(self) -> None:
        """Let go of what was opened here."""
        with self._lock:
            apps, self._apps = self._apps, {}
        for app in apps.values():
            app.close()

    def _make(self, scope: Scope) -> Runner:
        app = scope.app
        runner: Runner
        if app is None:
            return Restricted(self._runner, read_only=scope.read_only, token=True)
        if self._open_app is not None:
            opener = self._open_app
            if app not in self._apps:
                self._apps[app] = _OneApp(lambda: opener(app))
            runner = self._apps[app]
        else:
            runner = self._runner if app == self._name else _Nothing(app, self._name)
        # An app of the desktop is opened so that input stays within it; a server of only one app need not.
        fenced = self._confined or self._open_app is not None
        return Restricted(runner, read_only=scope.read_only, confined=True, fenced=fenced, token=True)


class _OneApp:
    """Opens an app when it is needed, and again if it has ended meanwhile. A Runner."""

    def __init__(self, open: Callable[[], Runner]) -> None:
        self._open = open
        self._runner: Runner | None = None
        self._closed = False
        self._lock = threading.Lock()

    def run(self, operation: Operation[R], cancel: Cancel | None = None) -> R:
        """Run one operation; raises what opening raises."""
        with self._lock:
            if self._closed:
                raise NotConnected("the server ends")
            if self._runner is None:
                self._runner = self._open()
            runner = self._runner
        try:
            return runner.run(operation, cancel)
        except (NotConnected, ConnectFailed):
            with self._lock:
                forget = self._runner is runner
                if forget:
                    self._runner = None
            if forget:
                runner.close()
            raise

    def close(self) -> None:
        with self._lock:
            self._closed = True
            runner, self._runner = self._runner, None
        if runner is not None:
            runner.close()


class _Nothing:
    """Refuses everything: the token is for an app that this server does not serve. A Runner."""

    def __init__(self, app: str, served: str | None) -> None:
        self._app = app
        self._served = served

    def run(self, operation: Operation[R], cancel: Cancel | None = None) -> R:  # noqa: ARG002 - as runners have it
        """Raise Refused."""
        raise Refused(
            f"{NAMES[type(operation)]} refused: this token is for '{self._app}', and this server serves "
            f"'{self._served}'",
            suggestions=("use a token for the app that is served",),
        )

    def close(self) -> None:
        pass
