import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** `input` of the embeddings protocol, `documents` of the rerank protocol. */
  readonly body: {
    readonly model: string;
    readonly input: string[];
    readonly documents: string[];
    readonly [field: string]: unknown;
  };
}

/** Reply of the server. A string body is sent unchanged, anything else as JSON. */
export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /**
   * Sends nothing or only the headers and keeps the connection open, or loses it in the middle of the body.
   */
  readonly hang?: "before-headers" | "after-headers" | "lost";
}

export type Answer = (request: ReceivedRequest, attempt: number) => Reply | Promise<Reply>;

/** Returns the vector of a text before normalisation: its length, 1, 0. */
function embeddingOf(text: string): number[] {
  return [text.length, 1, 0];
}

export const echo: Answer = ({ body }) => ({ body: replyBody(body.input.map(embeddingOf)) });

export function replyBody(embeddings: readonly unknown[]): object {
  const data = embeddings.map((embedding, index) => ({ object: "embedding", index, embedding }));
  return { object: "list", model: "m", data, usage: { prompt_tokens: 1, total_tokens: 1 } };
}

/** Provider on loopback that speaks JSON over HTTP and records its requests. */
export class ProviderServer {
  readonly requests: ReceivedRequest[] = [];
  readonly #answer: Answer;
  readonly #server = createServer((request, response) => void this.#serve(request, response));

  private constructor(answer: Answer) {
    this.#answer = answer;
  }

  static async start(answer: Answer): Promise<ProviderServer> {
    const started = new ProviderServer(answer);
    await new Promise<void>((resolve) => started.#server.listen(0, "127.0.0.1", resolve));
    return started;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as ReceivedRequest["body"];
    const received = { path: request.url ?? "", headers: request.headers, body };
    this.requests.push(received);
    send(response, await this.#answer(received, this.requests.length));
  }
}

function send(response: ServerResponse, reply: Reply): void {
  if (reply.hang === "before-headers") return;
  response.writeHead(reply.status ?? 200, { "content-type": "application/json", ...reply.headers });
  if (reply.hang === "after-headers") response.flushHeaders();
  else if (reply.hang === "lost") response.write('{"data":[', () => response.destroy());
  else response.end(typeof reply.body === "string" ? reply.body : JSON.stringify(reply.body ?? {}));
}
