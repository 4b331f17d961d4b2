/** Message that waits for a busy subscriber. */
export interface WaitingMessage {
  readonly payload: Uint8Array;
}

export interface MailboxLimits {
  /** Waiting messages of all senders. */
  readonly countMax: number;
  /** Bytes of the waiting messages of all senders. */
  readonly bytesMax: number;
  /** Waiting messages of one sender. */
  readonly senderCountMax: number;
  /** Bytes of the waiting messages of one sender. One message may be larger. */
  readonly senderBytesMax: number;
}

/** Part of the space that senders without a waiting message share. */
const RESERVED = 1 / 8;

/** Waiting messages of one sender. */
class Lane<M extends WaitingMessage> {
  readonly sender: string;
  readonly messages: M[] = [];
  bytes = 0;
  /** Number of waiting messages above which the sender counts as overflowing. */
  calmCountMax = Number.POSITIVE_INFINITY;

  constructor(sender: string) {
    this.sender = sender;
  }

  get isOverflowing(): boolean {
    return this.messages.length > this.calmCountMax;
  }
}

/**
 * Bounded queue of messages with one lane per sender. The lanes take turns, so that a flood delays only the
 * messages of its senders. With many senders, each has an equal part of the space. After a refusal, the
 * sender is overflowing until half of its messages are taken.
 */
export class Mailbox<M extends WaitingMessage> {
  readonly #limits: MailboxLimits;
  readonly #senderTokens: number;
  readonly #onEvicted: (message: M) => void;
  readonly #lanes = new Map<string, Lane<M>>();
  /** Lanes in the order of their turns. */
  readonly #calm = new Set<Lane<M>>();
  readonly #overflowing = new Set<Lane<M>>();
  #count = 0;
  #bytes = 0;

  /**
   * @param senderTokens leading tokens of a subject that name the sender.
   * @param onEvicted called with a message that makes space for one of another sender.
   */
  constructor(senderTokens: number, limits: MailboxLimits, onEvicted: (message: M) => void) {
    this.#senderTokens = senderTokens;
    this.#limits = limits;
    this.#onEvicted = onEvicted;
  }

  /**
   * Adds a message of `bytes` if there is space. If its sender has no other message, the newest message of an
   * overflowing sender makes space. Returns whether it was added.
   */
  add(subject: string, bytes: number, create: () => M): boolean {
    const sender = senderOf(subject, this.#senderTokens);
    const known = this.#lanes.get(sender);
    if (known !== undefined && !this.#hasShare(known, bytes)) {
      this.#overflow(known);
      return false;
    }
    if (known === undefined && !this.#hasSpace(bytes)) this.#evict(bytes);
    if (!this.#hasSpace(bytes)) return false;
    const lane = known ?? this.#open(sender);
    lane.messages.push(create());
    this.#add(lane, 1, bytes);
    return true;
  }

  /** Removes and returns the next message of a sender that does not overflow. */
  takeCalm(): M | undefined {
    return this.#takeFrom(this.#calm);
  }

  /** Removes and returns the next message of an overflowing sender. */
  takeOverflowing(): M | undefined {
    return this.#takeFrom(this.#overflowing);
  }

  get hasOverflowing(): boolean {
    return this.#overflowing.size > 0;
  }

  #takeFrom(lanes: Set<Lane<M>>): M | undefined {
    const [lane] = lanes;
    if (lane === undefined) return undefined;
    lanes.delete(lane);
    const message = lane.messages.shift()!;
    this.#add(lane, -1, message.payload.length);
    if (lane.messages.length === 0) this.#lanes.delete(lane.sender);
    else if (lane.isOverflowing) this.#overflowing.add(lane);
    else this.#calm.add(lane);
    return message;
  }

  #overflow(lane: Lane<M>): void {
    lane.calmCountMax = lane.messages.length >> 1;
    this.#calm.delete(lane);
    this.#overflowing.add(lane);
  }

  #open(sender: string): Lane<M> {
    const lane = new Lane<M>(sender);
    this.#lanes.set(sender, lane);
    this.#calm.add(lane);
    return lane;
  }

  /** Removes the newest message of an overflowing sender if that leaves enough space. */
  #evict(bytes: number): void {
    const [lane] = this.#overflowing;
    const newest = lane?.messages.at(-1);
    if (lane === undefined || newest === undefined || lane.messages.length === 1) return;
    const leavesSpace = this.#count >= this.#limits.countMax || newest.payload.length >= bytes;
    if (!leavesSpace) return;
    lane.messages.pop();
    this.#add(lane, -1, newest.payload.length);
    this.#overflowing.delete(lane);
    (lane.isOverflowing ? this.#overflowing : this.#calm).add(lane);
    this.#onEvicted(newest);
  }

  #hasSpace(bytes: number): boolean {
    const { countMax, bytesMax } = this.#limits;
    return this.#count < countMax && (this.#count === 0 || this.#bytes + bytes <= bytesMax);
  }

  #hasShare(lane: Lane<M>, bytes: number): boolean {
    const { countMax, bytesMax, senderCountMax, senderBytesMax } = this.#limits;
    const share = (1 - RESERVED) / this.#lanes.size;
    return (
      lane.messages.length < Math.min(senderCountMax, share * countMax) &&
      lane.bytes + bytes <= Math.min(senderBytesMax, share * bytesMax)
    );
  }

  #add(lane: Lane<M>, sign: 1 | -1, bytes: number): void {
    this.#count += sign;
    this.#bytes += sign * bytes;
    lane.bytes += sign * bytes;
  }
}

function senderOf(subject: string, tokens: number): string {
  let end = -1;
  for (let token = 0; token < tokens; token++) {
    end = subject.indexOf(".", end + 1);
    if (end === -1) return subject;
  }
  return subject.slice(0, end);
}
