import { once } from "node:events";
import { type AddressInfo, createConnection, createServer, type Socket } from "node:net";

/** A proxy before a server that can lose the server's answers. */
export class AnswerProxy {
  readonly #port: number;
  readonly #server = createServer((client) => this.#forward(client));
  readonly #sockets = new Set<Socket>();
  #losesAnswers = false;

  private constructor(url: string) {
    this.#port = Number(new URL(url).port);
  }

  static async open(url: string): Promise<AnswerProxy> {
    const proxy = new AnswerProxy(url);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get url(): string {
    return `nats://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Drops everything that the server sends from now on. */
  loseAnswers(): void {
    this.#losesAnswers = true;
  }

  /** Cuts the connections, so that the client connects again, and passes everything on. */
  repair(): void {
    this.#losesAnswers = false;
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.repair();
    await closed;
  }

  #forward(client: Socket): void {
    const server = createConnection(this.#port, "127.0.0.1");
    client.on("data", (chunk) => server.write(chunk));
    server.on("data", (chunk) => this.#losesAnswers || client.write(chunk));
    this.#add(client, server);
    this.#add(server, client);
  }

  #add(socket: Socket, other: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => other.destroy());
    socket.on("close", () => {
      this.#sockets.delete(socket);
      other.destroy();
    });
  }
}
