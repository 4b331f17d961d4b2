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
  /** Bytes of the bodies of all open requests of one caller. */
  readonly callerBytesMax?: number;
}

/** Limits how many requests are open together, and the bytes of their bodies. */
export class RequestPool {
  readonly #limits: Required<RequestPoolLimits>;
  #count = 0;
  #bodyBytes = 0;
  readonly #callerBytes = new Map<string, number>();

  constructor({ bodyBytesMax = 0, ...limits }: RequestPoolLimits) {
    const unlimited = Number.POSITIVE_INFINITY;
    this.#limits = { bodyBytesMax, bodiesBytesMax: unlimited, callerBytesMax: unlimited, ...limits };
  }

  /** Number of open requests. */
  get count(): number {
    return this.#count;
  }

  /** Bytes that are reserved for the bodies of open requests. */
  get bodyBytes(): number {
    return this.#bodyBytes;
  }

  /**
   * @param caller the name under which the bytes are counted for `callerBytesMax`.
   * @returns a function that releases the reservation, or undefined if the request exceeds a limit.
   */
  reserve(incoming: IncomingMessage, caller = ""): (() => void) | undefined {
    const { countMax, bodiesBytesMax, callerBytesMax } = this.#limits;
    const bytes = this.#bodyBytesOf(incoming);
    const ofCaller = this.#callerBytes.get(caller) ?? 0;
    const exceedsBytes =
      (this.#bodyBytes > 0 && this.#bodyBytes + bytes > bodiesBytesMax) ||
      (ofCaller > 0 && ofCaller + bytes > callerBytesMax);
    if (this.#count >= countMax || exceedsBytes) return undefined;
    this.#count++;
    this.#add(caller, bytes);
    return () => {
      this.#count--;
      this.#add(caller, -bytes);
    };
  }

  #add(caller: string, bytes: number): void {
    this.#bodyBytes += bytes;
    const ofCaller = (this.#callerBytes.get(caller) ?? 0) + bytes;
    if (ofCaller > 0) this.#callerBytes.set(caller, ofCaller);
    else this.#callerBytes.delete(caller);
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
  callerOf: (c: HttpContext) => string = () => "",
): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    const release = pool.reserve(c.env.incoming, callerOf(c));
    if (release === undefined) return refuse(c);
    void c.get("openRequest").ended.then(release);
    return next();
  };
}
