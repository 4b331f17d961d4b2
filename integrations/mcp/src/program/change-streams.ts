import { endWithAccess, type HttpContext, jsonResponse } from "@membus/http";
import type { Clock } from "@membus/protocol";
import { createMcpHandler, type McpHttpHandler, type McpServerFactory } from "@modelcontextprotocol/server";
import type { ChangeNotices } from "../change-notices.js";

const STREAMS_MAX = 1_000;

export interface ChangeStreamsDependencies {
  readonly factory: McpServerFactory;
  readonly notices: ChangeNotices;
  readonly clock: Clock;
  readonly onerror: (error: Error) => void;
}

/** Streams of changes. Each has a separate handler, because a handler ends all of its streams together. */
export class ChangeStreams {
  readonly #dependencies: ChangeStreamsDependencies;
  readonly #open = new Set<McpHttpHandler>();

  constructor(dependencies: ChangeStreamsDependencies) {
    this.#dependencies = dependencies;
  }

  /** @param expiresAt Unix seconds at which the access of the caller ends, and with it the stream. */
  async answer(c: HttpContext, expiresAt: number | undefined): Promise<Response> {
    if (this.#open.size >= STREAMS_MAX)
      return jsonResponse(c, 503, { error: "the server has too many streams" });
    const { factory, notices, clock, onerror } = this.#dependencies;
    const handler = createMcpHandler(factory, { onerror });
    this.#open.add(handler);
    const stopNotices = notices.listen(handler.notify);
    const { closed } = c.get("openRequest");
    void closed.then(() => {
      stopNotices();
      this.#open.delete(handler);
    });
    const response = await handler.fetch(c.req.raw);
    void closed.then(endWithAccess(clock, expiresAt, () => void handler.close()));
    return response;
  }

  /** Ends every stream. */
  async close(): Promise<void> {
    await Promise.all([...this.#open].map((handler) => handler.close()));
  }
}
