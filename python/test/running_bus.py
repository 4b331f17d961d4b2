"""A nats-server and a host on a free port, in a temporary folder."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
MEMBUS = ROOT / "cli" / "bin" / "membus.js"
CONFORMANCE = ROOT / "conformance" / "bin" / "membus-conformance.js"
START_S = 120


def nats_server() -> str:
    """Return the binary in MEMBUS_NATS_SERVER or on the PATH."""
    binary = os.environ.get("MEMBUS_NATS_SERVER") or shutil.which("nats-server")
    if binary is None:
        raise RuntimeError("no nats-server found: set MEMBUS_NATS_SERVER")
    return binary


class NatsServer:
    """A nats-server with optional flags. A restart uses the same port."""

    def __init__(self, folder: Path, *flags: str) -> None:
        self._folder = folder
        self._flags = flags
        self._port = "-1"
        self.start()

    @property
    def url(self) -> str:
        return f"nats://127.0.0.1:{self._port}"

    def start(self) -> None:
        ports = Path(tempfile.mkdtemp(dir=self._folder))
        arguments = ["-a", "127.0.0.1", "-p", self._port, "--ports_file_dir", str(ports), *self._flags]
        self._process = subprocess.Popen([nats_server(), *arguments], stderr=subprocess.DEVNULL)
        until = time.monotonic() + START_S
        while time.monotonic() < until:
            for file in ports.glob("*.ports"):
                urls = json.loads(file.read_text() or "{}").get("nats", [])
                if urls:
                    self._port = urls[0].rpartition(":")[2]
                    return
            assert self._process.poll() is None, "the nats-server exited"
            time.sleep(0.02)
        raise AssertionError("the nats-server did not start")

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()


class RunningBus:
    def __init__(self, *server_flags: str) -> None:
        nats_server()
        self.folder = Path(tempfile.mkdtemp(prefix="membus-test-"))
        self.server = NatsServer(self.folder, *server_flags)
        self._host: subprocess.Popen[str] | None = None

    @property
    def url(self) -> str:
        return self.server.url

    def start_host(self, **env: str) -> None:
        command = self._command(MEMBUS, "up", "--data", str(self.folder / "data"))
        self._host = subprocess.Popen(command, env={**self._env(), **env}, cwd=self.folder, stdout=subprocess.PIPE, text=True)
        assert self._host.stdout is not None
        for line in self._host.stdout:
            if line.startswith("membus is listening on"):
                return
        raise AssertionError("the host did not start")

    def kill_host(self) -> None:
        """Kill the host with SIGKILL."""
        if self._host is not None:
            self._host.send_signal(signal.SIGKILL)
            self._host.wait()
            assert self._host.stdout is not None
            self._host.stdout.close()
            self._host = None

    def cli(self, *arguments: str) -> str:
        """Return the output of the membus command line."""
        return self._run(MEMBUS, *arguments)

    def conformance(self, *arguments: str) -> str:
        """Return the output of the conformance suite, which must pass."""
        return self._run(CONFORMANCE, *arguments)

    def node(self, program: str) -> str:
        """Return the output of a JavaScript program, which can import the packages of membus."""
        return self._output([*self._command("--input-type=module"), "-e", program], ROOT)

    def _run(self, program: Path, *arguments: str) -> str:
        return self._output(self._command(program, *arguments), self.folder)

    def _output(self, command: list[str], folder: Path) -> str:
        done = subprocess.run(command, env=self._env(), cwd=folder, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def stop(self) -> None:
        self.kill_host()
        self.server.kill()
        shutil.rmtree(self.folder)

    def _command(self, program: Path | str, *arguments: str) -> list[str]:
        return [os.environ.get("MEMBUS_TEST_NODE", "node"), str(program), *arguments]

    def _env(self) -> dict[str, Any]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("MEMBUS_")}
        return {**kept, "MEMBUS_NATS_SERVER": nats_server(), "NATS_URL": self.url, "TMPDIR": str(self.folder)}
