import { once } from "node:events";
import { type AddressInfo, createConnection, createServer, type Server, type Socket } from "node:net";

/** A link to a server that can break after a number of bytes. */
export class FailingLink {
  readonly #port: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #bytesLeft = Number.POSITIVE_INFINITY;
  #onBreak: () => void = () => undefined;

  private constructor(port: number) {
    this.#port = port;
    this.#server = createServer((client) => this.#forward(client));
  }

  static async open(url: string): Promise<FailingLink> {
    const link = new FailingLink(Number(new URL(url).port));
    link.#server.listen(0, "127.0.0.1");
    await once(link.#server, "listening");
    return link;
  }

  get url(): string {
    return `nats://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /**
   * Breaks all connections after this number of bytes in both directions, and refuses others. Resolves when it
   * has happened.
   */
  breakAfter(bytes: number): Promise<void> {
    this.#bytesLeft = bytes;
    return new Promise((resolve) => {
      this.#onBreak = resolve;
    });
  }

  repair(): void {
    this.#bytesLeft = Number.POSITIVE_INFINITY;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #forward(client: Socket): void {
    if (this.#bytesLeft <= 0) {
      client.destroy();
      return;
    }
    const server = createConnection(this.#port, "127.0.0.1");
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(from);
      from
        .on("error", () => to.destroy())
        .on("close", () => {
          this.#sockets.delete(from);
          to.destroy();
        });
      from.on("data", (chunk) => this.#pass(chunk, to));
    }
  }

  #pass(chunk: Buffer, to: Socket): void {
    if (this.#bytesLeft > 0) to.write(chunk.subarray(0, Math.min(chunk.length, this.#bytesLeft)));
    this.#bytesLeft -= chunk.length;
    if (this.#bytesLeft > 0) return;
    for (const socket of this.#sockets) socket.destroySoon();
    this.#onBreak();
  }
}
