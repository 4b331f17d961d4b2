import type { Socket } from "node:net";
import type { HttpBindings } from "@hono/node-server";

/** A request that is being answered. */
export class OpenRequest {
  /** Resolves when the response is sent, or the client has left. */
  readonly closed: Promise<void>;
  /** Resolves when the response is closed and all work is done, or the response has become a stream. */
  readonly ended: Promise<void>;
  #isStream = false;
  #pending = 0;
  #end = () => {};

  constructor({ incoming, outgoing }: HttpBindings) {
    this.closed = new Promise((resolve) => {
      const stopWaiting = onClose(incoming.socket, resolve);
      outgoing.once("close", () => {
        stopWaiting();
        resolve();
      });
    });
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.addWork(this.closed);
  }

  get isStream(): boolean {
    return this.#isStream;
  }

  /** Keeps the request open until `work` is settled. */
  addWork(work: Promise<unknown>): void {
    this.#pending++;
    const done = () => {
      if (--this.#pending === 0) this.#end();
    };
    work.then(done, done);
  }

  /** Marks the response as a stream, which lasts as long as its client reads: shutdown and limits do not wait for it. */
  becomeStream(): void {
    this.#isStream = true;
    this.#end();
  }
}

/** Functions to call when a connection closes. One listener for each connection serves all of its requests. */
const onCloseBySocket = new WeakMap<Socket, Set<() => void>>();

/**
 * Calls `listener` when the connection closes. node:http reports the close only to the response that is
 * being sent. The responses of later pipelined requests do not receive it.
 * @returns a function that removes the listener.
 */
function onClose(socket: Socket, listener: () => void): () => void {
  if (socket.destroyed) listener();
  const listeners = onCloseBySocket.get(socket) ?? new Set();
  if (!onCloseBySocket.has(socket)) {
    onCloseBySocket.set(socket, listeners);
    socket.once("close", () => {
      for (const call of listeners) call();
    });
  }
  listeners.add(listener);
  return () => listeners.delete(listener);
}
