import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";

export type Reply = Readonly<Record<string, unknown>>;

/** A client with the HTTP behaviour of the SDK: it posts messages, and reads replies from one stream. */
export class A2eClient {
  readonly id: string;
  readonly #replies = new Map<string, Reply>();
  readonly #waiting = new Map<string, (reply: Reply) => void>();
  readonly received: Reply[] = [];
  readonly lines: string[] = [];
  #response: IncomingMessage | undefined;
  #lastId = 0;

  constructor(id: string) {
    this.id = id;
  }

  static async create(url: string): Promise<A2eClient> {
    const response = await fetch(`${url}/session`, { method: "POST" });
    return new A2eClient(((await response.json()) as { session_id: string }).session_id);
  }

  /** Resolves with the status. */
  async openStream(url: string): Promise<number> {
    const request = get(`${url}/stream`, { headers: { "x-session-id": this.id }, agent: false });
    const [response] = (await once(request, "response")) as [IncomingMessage];
    this.#response = response;
    let text = "";
    response.setEncoding("utf8").on("error", () => {});
    response.on("data", (chunk: string) => {
      const events = (text + chunk).split("\n\n");
      text = events.pop()!;
      for (const event of events) this.#take(event);
    });
    return response.statusCode!;
  }

  breakStream(): void {
    this.#response?.destroy();
  }

  /** Resolves when the gateway has ended the stream. */
  async streamEnded(): Promise<void> {
    if (!this.#response!.closed) await once(this.#response!, "close");
  }

  post(url: string, body: string): Promise<Response> {
    const headers = { "x-session-id": this.id, "content-type": "text/plain" };
    return fetch(`${url}/send`, { method: "POST", headers, body });
  }

  /** Sends a message with its own id, and waits for its reply on the stream. */
  async ask(url: string, message: Readonly<Record<string, unknown>>): Promise<Reply> {
    const id = `id${++this.#lastId}`;
    await this.post(url, JSON.stringify({ id, version: "1.0", ts: 1, ...message }));
    return this.reply((message.id as string | undefined) ?? id);
  }

  async handshake(url: string, fields: Readonly<Record<string, unknown>> = {}): Promise<Reply> {
    const handshake = { type: "handshake/req", agent_id: "alice", agent_caps: ["memory"], auth_token: "" };
    return this.ask(url, { ...handshake, ...fields });
  }

  async init(url: string, namespace = "default"): Promise<string> {
    const reply = await this.ask(url, { type: "memory/init/req", namespace, scope: {}, metadata: {} });
    return reply.memory_id as string;
  }

  reply(id: string): Promise<Reply> {
    const found = this.#replies.get(id);
    if (found !== undefined) return Promise.resolve(found);
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  #take(event: string): void {
    const data = event.split("\n").flatMap((line) => (line.startsWith("data: ") ? [line.slice(6)] : []));
    this.lines.push(...event.split("\n"));
    if (data.length === 0) return;
    const reply = JSON.parse(data.join("\n")) as Reply;
    this.received.push(reply);
    const id = reply.req_id as string;
    this.#replies.set(id, reply);
    this.#waiting.get(id)?.(reply);
  }
}
