"""Serve an application until it is stopped: on a port that is free, without secrets in the log."""

from __future__ import annotations

import errno
import socket
import sys
from collections.abc import Callable
from typing import Any

from leadline.errors import InputError, system_reason
from leadline.show.serve.security import Address, App, Guard

_MOST_AT_ONCE = 1000  # connections


def listen(host: str, port: int) -> socket.socket:
    """A socket on a host and port; InputError where it is taken or is not ours."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        opened = socket.socket(family, socket.SOCK_STREAM)
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind((host, port))
        opened.listen(128)  # who comes before the first answer waits
    except OSError as error:
        wrong = "--host" if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL else "--port"
        problem = f"cannot be listened on: {system_reason(error)}; choose another {wrong}"
        raise InputError(f"{host}:{port}", problem) from None
    return opened


def serve(app: App, opened: socket.socket, address: Address, *, quiet: bool = False) -> None:
    """Answer requests until Ctrl-C. Requests that are being answered are finished."""
    server(app, address, quiet=quiet).run(sockets=[opened])


def server(app: App, address: Address, *, quiet: bool = False) -> Any:
    """A uvicorn server of an application, guarded. `app.state.large_bodies` has the paths that files are sent to."""
    import uvicorn

    log: Callable[[str], None] | None = None if quiet else _log
    large = getattr(getattr(app, "state", None), "large_bodies", None)
    config = uvicorn.Config(
        Guard(app, address, log, large), log_level="warning", access_log=False, server_header=False,
        proxy_headers=False,
        limit_concurrency=_MOST_AT_ONCE, timeout_keep_alive=30, timeout_graceful_shutdown=5, ws="none", lifespan="off",
    )  # fmt: skip
    return uvicorn.Server(config)


def _log(line: str) -> None:
    print(f"  {line}", file=sys.stderr, flush=True)
