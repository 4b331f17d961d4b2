import { once } from "node:events";
import { type AddressInfo, createConnection, createServer, type Socket } from "node:net";
import { Transform, type TransformCallback } from "node:stream";

const LINE_END = "\r\n";
/** A message of a client: its subject, and the number of its bytes at the end of the line. */
const PUBLISHED = /^H?PUB (\S+) (?:.* )?(\d+)$/i;

/** Milliseconds by which a message on this subject is late. */
export type LatenessOf = (subject: string) => number;

/** Splits what a NATS client sends into its operations, and passes late messages on later. */
class LateMessages extends Transform {
  readonly #latenessOf: LatenessOf;
  #rest = Buffer.alloc(0);

  constructor(latenessOf: LatenessOf) {
    super();
    this.#latenessOf = latenessOf;
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
    const lateMs = subject === undefined ? 0 : this.#latenessOf(subject);
    if (lateMs === 0) this.push(operation);
    else setTimeout(() => this.writable && this.push(operation), lateMs);
  }
}

/** A proxy before a nats-server that delays some messages of clients, and no others. */
export class SlowMessages {
  readonly #target: URL;
  readonly #server = createServer((client) => this.#forward(client));
  readonly #sockets = new Set<Socket>();
  latenessOf: LatenessOf = () => 0;

  private constructor(url: string) {
    this.#target = new URL(url);
  }

  static async open(url: string): Promise<SlowMessages> {
    const proxy = new SlowMessages(url);
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
    client.pipe(new LateMessages((subject) => this.latenessOf(subject))).pipe(server);
    server.pipe(client);
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.on("error", () => other.destroy());
      socket.on("close", () => {
        this.#sockets.delete(socket);
        other.destroySoon();
      });
    }
  }
}
