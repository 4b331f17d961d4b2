import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Rendering } from "./rendering.js";
import { answerOf, type ReceivedChat, type Script, type ScriptedAnswer } from "./script.js";
import { sendError, sendFault, sendReply } from "./send.js";

const PATHS = ["/v1/chat/completions", "/v1/responses", "/v1/messages"];

/**
 * A server on loopback with the chat completions and responses of OpenAI and the messages of Anthropic. It
 * plays a script, including invalid answers, and records the requests. It accepts every API key.
 */
export class ScriptedOpenAi {
  readonly requests: ReceivedChat[] = [];
  /** JSON answers of GET requests by path, such as "/v1/models". Other paths are answered 404. */
  readonly documents = new Map<string, unknown>();
  #script: Script;
  readonly #rendering: Rendering;
  readonly #server = createServer((request, response) => void this.#serve(request, response));

  private constructor(script: Script, rendering: Rendering) {
    this.#script = script;
    this.#rendering = rendering;
  }

  static async start(script: Script): Promise<ScriptedOpenAi> {
    const started = new ScriptedOpenAi(script, await Rendering.start());
    await new Promise<void>((resolve) => started.#server.listen(0, "127.0.0.1", resolve));
    return started;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  /**
   * Replaces the script from the next request on. A list starts at its first answer, and `requests` is
   * emptied.
   */
  play(script: Script): void {
    this.#script = script;
    this.requests.length = 0;
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
    await this.#rendering.stop();
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const { method, url: path = "", headers } = incoming;
    if (method === "GET" && this.documents.has(path)) {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(this.documents.get(path)));
      return;
    }
    if (method !== "POST" || !PATHS.includes(path)) {
      sendError(response, { status: 404, message: `no such path: ${method} ${path}` });
      return;
    }
    const received = JSON.parse(Buffer.concat(chunks).toString()) as ReceivedChat["body"];
    const request = { path, headers, body: { ...received, messages: received.messages ?? [] } };
    const index = this.requests.push(request) - 1;
    await this.#send(response, request, await answerOf(this.#script, request, index));
  }

  async #send(response: ServerResponse, { path, body }: ReceivedChat, answer: ScriptedAnswer): Promise<void> {
    if ("fault" in answer) sendFault(response, answer, body.stream === true);
    else if ("status" in answer) sendError(response, answer);
    else sendReply(response, await this.#rendering.render(path, body, answer), answer);
  }
}
