import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { ObjectStore, type Objects } from "./object-store.js";
import { readRequest, type S3Request } from "./s3-request.js";
import { errorResponse, respond, type S3Response } from "./s3-response.js";

/** Failure of one request. */
export interface Fault {
  /** Called for every request until it returns true. The fault then applies to this request, once. */
  readonly matches: (request: S3Request) => boolean;
  /** Whether the request is carried out first, so that only its answer is lost. */
  readonly afterEffect: boolean;
  /** Status of the answer. `cut` ends the connection before the answer, `half` after half of its bytes. */
  readonly answer: 301 | 400 | 403 | 404 | 500 | 501 | 503 | "cut" | "half";
  /** Code of the answer. By default a usual one of its status. */
  readonly code?: string;
  /** Region of the bucket, for the answer. */
  readonly region?: string;
  /** Whether the fault applies to all matching requests until the server is healed. */
  readonly isLasting?: boolean;
}

/** A request that waits. */
export interface HeldRequest {
  /** Resolves when the request has arrived. */
  readonly arrived: Promise<void>;
  /** Lets the request be carried out. Resolves when it is. */
  release(): Promise<void>;
}

const CODES = {
  ...{ 301: "PermanentRedirect", 400: "InvalidRequest", 403: "AccessDenied", 404: "NoSuchBucket" },
  ...{ 500: "InternalError", 501: "NotImplemented", 503: "SlowDown" },
};

/** Server with the part of S3 that LanceDB uses. It ignores credentials, and has one bucket. */
export class FakeS3 {
  readonly store: ObjectStore;
  /** Delay of each answer, in milliseconds. */
  latencyMs = 0;
  /** Number of requests so far. */
  requestCount = 0;
  readonly #server: Server;
  #fault: Fault | undefined;
  #hold: ((request: S3Request) => Promise<void> | undefined) | undefined;
  #release: () => void = () => {};

  private constructor(store: ObjectStore) {
    this.store = store;
    this.#server = createServer(async (message, response) => {
      const request = await readRequest(message);
      if (request === undefined) return;
      this.requestCount += 1;
      if (this.latencyMs > 0) await sleep(this.latencyMs);
      await this.#hold?.(request);
      const answer = this.#answer(request);
      if (answer === "cut") message.socket.destroy();
      else if (answer === "half") sendHalf(response, respond(this.store, request));
      else send(response, request, answer);
    });
  }

  /** @param objects where the objects are, by default in RAM. */
  static async start(objects?: Objects): Promise<FakeS3> {
    const s3 = new FakeS3(new ObjectStore(objects));
    await new Promise<void>((resolve) => s3.#server.listen(0, "127.0.0.1", resolve));
    return s3;
  }

  /** Options of LanceDB's `connect`. */
  get storageOptions(): Record<string, string> {
    const { port } = this.#server.address() as AddressInfo;
    return {
      endpoint: `http://127.0.0.1:${port}`,
      allow_http: "true",
      region: "us-east-1",
      access_key_id: "test",
      secret_access_key: "test",
    };
  }

  /** Makes one request fail. */
  fail(fault: Fault): void {
    this.#fault = fault;
  }

  /** Holds the first request that matches. */
  hold(matches: (request: S3Request) => boolean): HeldRequest {
    const [arrived, released, done] = [signal(), signal(), signal()];
    this.#hold = (request) => {
      if (!matches(request)) return undefined;
      this.#hold = undefined;
      arrived.resolve();
      // The request is carried out right after this promise.
      return released.promise.then(() => void setImmediate(done.resolve));
    };
    this.#release = released.resolve;
    const release = (): Promise<void> => {
      released.resolve();
      return done.promise;
    };
    return { arrived: arrived.promise, release };
  }

  /** Holds all requests that match until the server is healed. They are then carried out. */
  holdAll(matches: (request: S3Request) => boolean): void {
    const released = signal();
    this.#hold = (request) => (matches(request) ? released.promise : undefined);
    this.#release = released.resolve;
  }

  /** Removes a fault, and lets held requests go. */
  heal(): void {
    this.#hold = undefined;
    this.#release();
    this.#fault = undefined;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(request: S3Request): S3Response | "cut" | "half" {
    const fault = this.#fault;
    if (fault === undefined || !fault.matches(request)) return respond(this.store, request);
    if (fault.isLasting !== true) this.#fault = undefined;
    const { answer, code, region } = fault;
    // Half an answer is one of a request that is carried out.
    if (answer === "half") return answer;
    if (fault.afterEffect) respond(this.store, request);
    return answer === "cut" ? answer : errorResponse(answer, code ?? CODES[answer], region);
  }
}

function signal() {
  let resolve: () => void = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

function send(
  response: ServerResponse,
  { operation }: S3Request,
  { status, headers, body }: S3Response,
): void {
  const length = { "content-length": String(Buffer.byteLength(body ?? "")) };
  response.writeHead(status, { ...headers, ...(status === 204 ? {} : length) });
  response.end(operation === "head" ? undefined : body);
}

/** Ends the connection in the middle of the body. */
function sendHalf(response: ServerResponse, { status, headers, body = "" }: S3Response): void {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  response.writeHead(status, { ...headers, "content-length": String(bytes.length) });
  response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
}
