"""An OpenAI-compatible server on a free port that answers with given texts."""

from __future__ import annotations

import json
import re
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Iterator

from membus import ChatModel


class ScriptedModel:
    """The answers to come, each a text, an object, an HTTP status, or bytes, and the received requests."""

    def __init__(self) -> None:
        self.answers: list[Any] = []
        self.requests: list[dict[str, Any]] = []
        self.base_url = ""

    def chat_model(self) -> ChatModel:
        return ChatModel(self.base_url, "scripted", timeout_s=10)

    def prompt(self, index: int = -1) -> str:
        return str(self.requests[index]["messages"][-1]["content"])

    def reply(self, body: dict[str, Any]) -> tuple[int, str, bytes]:
        """Return the status, the type and the body of the next answer: a stream of words, or an object if it is bytes."""
        self.requests.append(body)
        answer = self.answers.pop(0) if self.answers else 500
        if isinstance(answer, int):
            return answer, "application/json", b"{}"
        if isinstance(answer, bytes):
            return 200, "application/json", answer
        text = answer if isinstance(answer, str) else json.dumps(answer)
        words = [json.dumps({"choices": [{"delta": {"content": word}}]}) for word in re.findall(r"\S+\s*|\s+", text)]
        return 200, "text/event-stream", "".join(f"data: {each}\n\n" for each in [*words, "[DONE]"]).encode()


@contextmanager
def scripted_model() -> Iterator[ScriptedModel]:
    model = ScriptedModel()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            status, kind, data = model.reply(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:
            """Write no access log."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    model.base_url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
