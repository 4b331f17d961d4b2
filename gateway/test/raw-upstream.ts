import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface RawRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

type Answer = (response: ServerResponse, request: RawRequest) => void;

/** A server that records requests. The test writes its answers byte by byte. */
export class RawUpstream {
  readonly requests: RawRequest[] = [];
  /** Number of requests with a client that left before the end of the answer. */
  abortCount = 0;
  answer: Answer;
  readonly #server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const { method = "", url = "", headers } = incoming;
      const request = { method, url, headers, body: Buffer.concat(chunks) };
      this.requests.push(request);
      response.on("close", () => {
        if (!response.writableFinished) this.abortCount++;
      });
      this.answer(response, request);
    });
  });

  private constructor(answer: Answer) {
    this.answer = answer;
  }

  static async start(answer: Answer = (response) => response.end("{}")): Promise<RawUpstream> {
    const upstream = new RawUpstream(answer);
    await new Promise<void>((resolve) => upstream.#server.listen(0, "127.0.0.1", resolve));
    return upstream;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  connectionCount(): Promise<number> {
    return new Promise((resolve, reject) =>
      this.#server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
    );
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }
}
