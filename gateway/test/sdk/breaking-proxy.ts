import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Forwards connections to a port, and breaks them on request. */
export class BreakingProxy {
  readonly #sockets = new Set<Socket>();
  /** Number of all connections so far. */
  connectionCount = 0;
  #whenConnected = () => {};
  readonly #server;

  private constructor(port: number) {
    this.#server = createServer((client) => {
      const server = connect(port, "127.0.0.1");
      for (const socket of [client, server]) {
        this.#sockets.add(socket);
        socket.on("error", () => {}).on("close", () => this.#sockets.delete(socket));
      }
      client.pipe(server).pipe(client);
      this.connectionCount++;
      this.#whenConnected();
    });
  }

  static async start(port: number): Promise<BreakingProxy> {
    const proxy = new BreakingProxy(port);
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  breakAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Resolves after more than `count` connections. */
  async connectedAfter(count: number): Promise<void> {
    while (this.connectionCount <= count) {
      await new Promise<void>((resolve) => {
        this.#whenConnected = resolve;
      });
    }
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.breakAll();
    await closed;
  }
}
