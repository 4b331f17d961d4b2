export interface NatsServer {
  /** The URL without credentials: what is dialled, logged and shown. */
  readonly url: string;
  readonly tls: boolean;
  readonly user?: string;
  readonly pass?: string;
  readonly token?: string;
}

/**
 * `nats://`, `tls://` or no scheme; `user:pass@` and `token@` before the host, percent-encoded.
 * @throws {TypeError} for anything else. The message never repeats the URL, which may hold a password.
 */
export function parseServer(server: string): NatsServer {
  const text = server.includes("://") ? server : `nats://${server}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !["nats:", "tls:"].includes(url.protocol) || url.hostname === "") {
    throw new TypeError("a NATS server is nats://host:port, tls://host:port or host:port");
  }
  const address = { url: `${url.protocol}//${url.host}`, tls: url.protocol === "tls:" };
  const user = decodeURIComponent(url.username);
  if (user === "") return address;
  return url.password === ""
    ? { ...address, token: user }
    : { ...address, user, pass: decodeURIComponent(url.password) };
}
