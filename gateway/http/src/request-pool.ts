import type { IncomingMessage } from "node:http";
import type { MiddlewareHandler } from "hono";
import type { HttpContext, HttpEnv } from "./http-context.js";

export interface RequestPoolLimits {
  /** Requests that may be open together. */
  readonly countMax: number;
  /** Largest body of one request, in bytes. */
  readonly bodyBytesMax?: number;
  /** Bytes of the bodies of all open requests. A single larger body is accepted if no other request is open. */
  readonly bodiesBytesMax?: number;
}

/** Limits how many requests are open together, and the bytes of their bodies. */
export class RequestPool {
  readonly #limits: Required<RequestPoolLimits>;
  #count = 0;
  #bodyBytes = 0;

  constructor({ countMax, bodyBytesMax = 0, bodiesBytesMax = Number.POSITIVE_INFINITY }: RequestPoolLimits) {
    this.#limits = { countMax, bodyBytesMax, bodiesBytesMax };
  }

  /** Number of open requests. */
  get count(): number {
    return this.#count;
  }

  /** Bytes that are reserved for the bodies of open requests. */
  get bodyBytes(): number {
    return this.#bodyBytes;
  }

  /** Returns a function that releases the reservation, or undefined if the request exceeds a limit. */
  reserve(incoming: IncomingMessage): (() => void) | undefined {
    const bytes = this.#bodyBytesOf(incoming);
    const exceedsBytes = this.#bodyBytes > 0 && this.#bodyBytes + bytes > this.#limits.bodiesBytesMax;
    if (this.#count >= this.#limits.countMax || exceedsBytes) return undefined;
    this.#count++;
    this.#bodyBytes += bytes;
    return () => {
      this.#count--;
      this.#bodyBytes -= bytes;
    };
  }

  /** A body without a length may be as long as the bound. */
  #bodyBytesOf({ method, headers }: IncomingMessage): number {
    const { bodyBytesMax } = this.#limits;
    if (method === "GET" || method === "DELETE") return 0;
    return Math.min(Number(headers["content-length"] ?? bodyBytesMax), bodyBytesMax);
  }
}

/** Reserves a place in `pool` until the request has ended, and refuses a request that exceeds its limits. */
export function limitRequests(
  pool: RequestPool,
  refuse: (c: HttpContext) => Response,
): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    const release = pool.reserve(c.env.incoming);
    if (release === undefined) return refuse(c);
    void c.get("openRequest").ended.then(release);
    return next();
  };
}
