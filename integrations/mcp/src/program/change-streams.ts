import { BoundedStream, copyBody, endWithAccess, type HttpContext, jsonResponse } from "@membus/http";
import type { Clock } from "@membus/protocol";
import { createMcpHandler, type McpHttpHandler, type McpServerFactory } from "@modelcontextprotocol/server";
import type { ChangeNotices } from "../change-notices.js";

export interface ChangeStreamsLimits {
  /** Streams that may be open together. */
  readonly streamsMax: number;
  /** Bytes that may wait for the client of one stream. A slower client is disconnected. */
  readonly streamBytesMax: number;
}

export interface ChangeStreamsDependencies {
  readonly factory: McpServerFactory;
  readonly notices: Pick<ChangeNotices, "listen">;
  readonly clock: Clock;
  readonly onerror: (error: Error) => void;
}

/** Streams of changes. Each has a separate handler, because a handler ends all of its streams together. */
export class ChangeStreams {
  readonly #dependencies: ChangeStreamsDependencies;
  readonly #limits: ChangeStreamsLimits;
  readonly #open = new Set<McpHttpHandler>();
  #isClosed = false;

  constructor(dependencies: ChangeStreamsDependencies, limits: ChangeStreamsLimits) {
    this.#dependencies = dependencies;
    this.#limits = limits;
  }

  /** @param expiresAt Unix seconds at which the access of the caller ends, and with it the stream. */
  async answer(c: HttpContext, expiresAt: number | undefined): Promise<Response> {
    if (this.#isClosed) return jsonResponse(c, 503, { error: "the server shuts down" });
    const { streamsMax, streamBytesMax } = this.#limits;
    if (this.#open.size >= streamsMax)
      return jsonResponse(c, 503, { error: "the server has too many streams" });
    const { factory, notices, clock, onerror } = this.#dependencies;
    const handler = createMcpHandler(factory, { onerror });
    this.#open.add(handler);
    const stopNotices = notices.listen(handler.notify);
    const request = c.get("openRequest");
    void request.closed.then(() => {
      stopNotices();
      this.#open.delete(handler);
      void handler.close();
    });
    const { body, status, headers } = await handler.fetch(c.req.raw);
    // The earlier `close()` did not end a stream that was being opened.
    if (this.#isClosed) await handler.close();
    void request.closed.then(endWithAccess(clock, expiresAt, () => void handler.close()));
    const stream = new BoundedStream(c, streamBytesMax);
    request.addWork(copyBody(body, stream).catch(onerror));
    return new Response(stream.readable, { status, headers });
  }

  /** Ends every stream, and refuses new ones. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#open].map((handler) => handler.close()));
  }
}
