/** Release of nats-server with the hashes of its archives. */
export interface NatsServerRelease {
  /** Version without the leading "v". */
  readonly version: string;
  /** SHA-256 in hex of the .tar.gz by platform, such as "linux-amd64". */
  readonly sha256: Readonly<Record<string, string>>;
}

/**
 * Newest release with independently confirmed checksums (from the Dockerfiles of nats-io/nats-docker and
 * copies of the release's SHA256SUMS). Change version and checksums together.
 */
export const PINNED_RELEASE: NatsServerRelease = Object.freeze({
  version: "2.15.0",
  sha256: Object.freeze({
    "linux-amd64": "5d2c51caca950333aba84911df7d377f826f3a59ec36061c6539105084f65c92",
    "linux-arm64": "cdc208f5a3f42963a52b6ab06ef65626bb870315dc936e26ba571780c6351112",
    "darwin-amd64": "5bd8b59ca5bf93fab3da2c5843cf564cd6e2e291e22ae3b861746e7ebe259b95",
    "darwin-arm64": "e1c4e22d70bd44abfa0bcb3c16f7cf0c66f648c2e728c58924e8a1ce88913cc8",
  }),
});

/** Module that `go install` builds. Go verifies it with its own checksum database. */
export const GO_MODULE = "github.com/nats-io/nats-server/v2@v2.15.2";

/** Instructions to install nats-server manually. */
export const MANUAL_INSTALL_STEPS: readonly string[] = Object.freeze([
  "Debian, Ubuntu: sudo apt-get install nats-server",
  "macOS: brew install nats-server",
  `with Go: go install ${GO_MODULE}`,
]);
