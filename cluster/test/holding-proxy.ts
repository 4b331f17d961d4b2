import { once } from "node:events";
import { type AddressInfo, createConnection, createServer, type Socket } from "node:net";
import { Transform, type TransformCallback } from "node:stream";

const LINE_END = "\r\n";
/** A message of a client: its subject, and the number of its bytes at the end of the line. */
const PUBLISHED = /^H?PUB (\S+) (?:.* )?(\d+)$/i;

/** Returns when a message on this subject is passed on. Undefined for at once. */
export type HoldMessage = (subject: string) => Promise<void> | undefined;

/** Splits what a NATS client sends into its operations, and passes held messages on later. */
class HeldMessages extends Transform {
  readonly #hold: HoldMessage;
  #rest = Buffer.alloc(0);

  constructor(hold: HoldMessage) {
    super();
    this.#hold = hold;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    for (;;) {
      const lineEnd = this.#rest.indexOf(LINE_END);
      if (lineEnd < 0) break;
      const [, subject, size] = PUBLISHED.exec(this.#rest.toString("latin1", 0, lineEnd)) ?? [];
      const body = size === undefined ? 0 : Number(size) + LINE_END.length;
      const end = lineEnd + LINE_END.length + body;
      if (this.#rest.length < end) break;
      this.#pass(this.#rest.subarray(0, end), subject);
      this.#rest = this.#rest.subarray(end);
    }
    done();
  }

  #pass(operation: Buffer, subject: string | undefined): void {
    const held = subject === undefined ? undefined : this.#hold(subject);
    if (held === undefined) this.push(operation);
    else void held.then(() => this.writable && this.push(operation));
  }
}

/** A proxy before a nats-server that holds some messages of clients, and no others. Held messages of clients that have ended are lost. */
export class HoldingProxy {
  readonly #target: URL;
  readonly #server = createServer((client) => this.#forward(client));
  readonly #sockets = new Set<Socket>();
  hold: HoldMessage = () => undefined;

  private constructor(url: string) {
    this.#target = new URL(url);
  }

  static async open(url: string): Promise<HoldingProxy> {
    const proxy = new HoldingProxy(url);
    await once(proxy.#server.listen(0, "127.0.0.1"), "listening");
    return proxy;
  }

  get url(): string {
    return `nats://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #forward(client: Socket): void {
    const server = createConnection(Number(this.#target.port), "127.0.0.1");
    client.pipe(new HeldMessages((subject) => this.hold(subject))).pipe(server);
    server.pipe(client);
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.on("error", () => other.destroy());
      socket.on("close", () => {
        this.#sockets.delete(socket);
        // After its end, the pipe ends the other socket once it has passed everything on.
        if (!socket.readableEnded) other.destroySoon();
      });
    }
  }
}
