"""What holds for every test: the same examples on every run, no network, and interrupts that interrupt."""

import signal
import socket

import pytest
from hypothesis import settings

# A shell that starts the tests in the background lets them, and so what they start, ignore interrupts; nohup, hangups.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

# The same examples everywhere, and no deadline: a busy machine is no reason to fail.
settings.register_profile("rootdk", derandomize=True, deadline=None)
settings.load_profile("rootdk")


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make any attempt to reach another machine an error: nothing in this project needs one."""

    def refuse(*address: object) -> None:
        raise AssertionError(f"a test, or what it tests, reached for the network: {address[-1]}")

    # Names are looked up before anything is reached. connect() would be too low: processes on this machine use it too.
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
