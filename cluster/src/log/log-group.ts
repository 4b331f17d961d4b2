import { encodedBytes, encodeRecord, payloadOf } from "./message-format.js";

interface Waiting {
  resolve(seq: number): void;
  reject(error: unknown): void;
}

/** Records that are written as one message. A record that exceeds a message has a group for itself. */
export class LogGroup {
  readonly firstSeq: number;
  readonly #frames: Buffer[] = [];
  readonly #waiting: Waiting[] = [];
  /** Bytes of the message. */
  sizeBytes = 0;
  payloadBytes = 0;

  constructor(firstSeq: number) {
    this.firstSeq = firstSeq;
  }

  get count(): number {
    return this.#frames.length;
  }

  /** Whether a message has room for this record also. */
  hasRoom(payload: Uint8Array, messageBytesMax: number): boolean {
    return this.sizeBytes + encodedBytes(payload) <= messageBytesMax;
  }

  /** Adds a copy of the next record. @returns its number, once the group is resolved. */
  add(payload: Uint8Array): Promise<number> {
    const frame = encodeRecord(payload);
    this.#frames.push(frame);
    this.sizeBytes += frame.length;
    this.payloadBytes += payload.length;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
    });
  }

  /** Returns the message, or the parts of a record that exceeds `messageBytesMax`. */
  messages(messageBytesMax: number): Uint8Array[] {
    if (this.sizeBytes <= messageBytesMax) return [Buffer.concat(this.#frames)];
    const payload = payloadOf(this.#frames[0]!);
    const count = Math.ceil(payload.length / messageBytesMax);
    return Array.from({ length: count }, (_, index) =>
      payload.subarray(index * messageBytesMax, (index + 1) * messageBytesMax),
    );
  }

  resolve(): void {
    for (const [index, { resolve }] of this.#waiting.entries()) resolve(this.firstSeq + index);
  }

  reject(error: unknown): void {
    for (const { reject } of this.#waiting) reject(error);
  }
}
