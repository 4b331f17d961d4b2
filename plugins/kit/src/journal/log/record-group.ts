import { FRAME_HEADER_BYTES, writeFrameHeader } from "./frame.js";

const BUFFER_BYTES = 4 * 1024;

interface Waiter {
  readonly resolve: (seq: number) => void;
  readonly reject: (error: unknown) => void;
}

/** Records that wait together, are written together and become durable together. */
export class RecordGroup {
  readonly firstSeq: number;
  /** Where each frame begins, counted from the start of the group. */
  readonly offsets: number[] = [];
  readonly #waiters: Waiter[] = [];
  #bytes = Buffer.allocUnsafe(BUFFER_BYTES);
  #sizeBytes = 0;

  constructor(firstSeq: number) {
    this.firstSeq = firstSeq;
  }

  get count(): number {
    return this.offsets.length;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  get payloadBytes(): number {
    return this.#sizeBytes - this.count * FRAME_HEADER_BYTES;
  }

  /** Copies the payload. @returns the record's sequence number once the group is resolved. */
  add(payload: Uint8Array): Promise<number> {
    const offset = this.#sizeBytes;
    const end = offset + FRAME_HEADER_BYTES + payload.length;
    this.#reserve(end);
    this.#bytes.set(payload, offset + FRAME_HEADER_BYTES);
    this.offsets.push(offset);
    this.#sizeBytes = end;
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
    });
  }

  /** Completes the frames for the segment of this salt. @returns all bytes to write. */
  seal(salt: number): Uint8Array {
    this.offsets.forEach((offset, groupIndex) => {
      const end = this.offsets[groupIndex + 1] ?? this.#sizeBytes;
      const payloadBytes = end - offset - FRAME_HEADER_BYTES;
      writeFrameHeader(this.#bytes, offset, {
        payloadBytes,
        seq: this.firstSeq + groupIndex,
        groupIndex,
        salt,
      });
    });
    return this.#bytes.subarray(0, this.#sizeBytes);
  }

  resolve(): void {
    this.#waiters.forEach((waiter, index) => {
      waiter.resolve(this.firstSeq + index);
    });
  }

  reject(error: unknown): void {
    for (const waiter of this.#waiters) waiter.reject(error);
  }

  #reserve(sizeBytes: number): void {
    if (sizeBytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(sizeBytes, 2 * this.#bytes.length));
    this.#bytes.copy(larger, 0, 0, this.#sizeBytes);
    this.#bytes = larger;
  }
}
