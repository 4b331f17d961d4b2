import { once } from "node:events";
import { type AddressInfo, createConnection, createServer, type Socket } from "node:net";

/** A proxy before a server that can lose the server's answers, or hold requests. */
export class AnswerProxy {
  readonly #port: number;
  readonly #server = createServer((client) => this.#forward(client));
  readonly #sockets = new Set<Socket>();
  #losesAnswers = false;
  /** Bytes that the server has not been sent, by its sockets. */
  #held: Map<Socket, Buffer[]> | undefined;
  #onAnswer: (chunk: Buffer) => void = () => {};

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

  /** Keeps everything for the server from now on. */
  holdRequests(): void {
    this.#held = new Map();
  }

  /** Whether it holds something for the server that contains these words. */
  holds(words: string): boolean {
    return [...this.#held!.values()].some((chunks) => Buffer.concat(chunks).includes(words));
  }

  /** Sends the server all that it held. Resolves when it has answered the message to this subject. */
  async releaseRequests(subject: string): Promise<void> {
    const held = [...this.#held!].map(([server, chunks]) => ({ server, bytes: Buffer.concat(chunks) }));
    const inbox = new RegExp(`HPUB ${subject}\\S* (\\S+) `).exec(
      held.map(({ bytes }) => bytes).join(""),
    )![1]!;
    this.#held = undefined;
    const answered = new Promise<void>((resolve) => {
      let received = "";
      this.#onAnswer = (chunk) => {
        received += chunk.toString();
        if (received.includes(inbox)) resolve();
      };
    });
    for (const { server, bytes } of held) server.write(bytes);
    await answered;
  }

  /** Cuts the connections, so that the client connects again, and passes everything on. */
  repair(): void {
    this.#losesAnswers = false;
    this.#held = undefined;
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
    client.on("data", (chunk: Buffer) => this.#send(server, chunk));
    server.on("data", (chunk: Buffer) => {
      this.#onAnswer(chunk);
      if (!this.#losesAnswers) client.write(chunk);
    });
    this.#add(client, server);
    this.#add(server, client);
  }

  #send(server: Socket, chunk: Buffer): void {
    if (this.#held === undefined) server.write(chunk);
    else this.#held.set(server, [...(this.#held.get(server) ?? []), chunk]);
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
