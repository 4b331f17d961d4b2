import { once } from "node:events";
import { type AddressInfo, createConnection, createServer, type Socket } from "node:net";

/** Side from which bytes come: requests from the client, answers from the server. */
export type Direction = "requests" | "answers";

interface Pipe {
  readonly from: Socket;
  readonly to: Socket;
  readonly direction: Direction;
}

/** A proxy before a server that can lose bytes, or hold them back as a network does that is cut for a while. */
export class FaultyLink {
  readonly #target: URL;
  readonly #server = createServer((client) => this.#forward(client));
  readonly #pipes = new Set<Pipe>();
  readonly #held = new Set<Direction>();
  #losesAnswers = false;

  private constructor(url: string) {
    this.#target = new URL(url);
  }

  /** @param url URL of the server, with a port. */
  static async open(url: string): Promise<FaultyLink> {
    const link = new FaultyLink(url);
    link.#server.listen(0, "127.0.0.1");
    await once(link.#server, "listening");
    return link;
  }

  get url(): string {
    return `${this.#target.protocol}//127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Drops everything that the server sends from now on. */
  loseAnswers(): void {
    this.#losesAnswers = true;
    this.#apply();
  }

  /** Holds back the bytes of these directions, also of later connections. */
  hold(...directions: Direction[]): void {
    for (const direction of directions) this.#held.add(direction);
    this.#apply();
  }

  /** Delivers the bytes that were held back, even if their sender has ended since. Passes everything on. */
  release(): void {
    this.#held.clear();
    this.#apply();
  }

  /** Cuts the connections, so that the client connects again, and passes everything on. */
  repair(): void {
    this.#held.clear();
    this.#losesAnswers = false;
    for (const { from } of this.#pipes) from.destroy();
  }

  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.repair();
    await closed;
  }

  #forward(client: Socket): void {
    const server = createConnection(Number(this.#target.port), "127.0.0.1");
    this.#add({ from: client, to: server, direction: "requests" });
    this.#add({ from: server, to: client, direction: "answers" });
    this.#apply();
  }

  #add(pipe: Pipe): void {
    const { from, to } = pipe;
    this.#pipes.add(pipe);
    from.on("error", () => to.destroy());
    from.on("close", () => {
      this.#pipes.delete(pipe);
      to.destroySoon();
    });
  }

  #apply(): void {
    for (const { from, to, direction } of this.#pipes) {
      from.unpipe(to);
      if (this.#held.has(direction)) from.pause();
      else if (direction === "answers" && this.#losesAnswers) from.resume();
      else from.pipe(to);
    }
  }
}
