import fc from "fast-check";
import { bytesOf, INVALID, VALID } from "../../../protocol/test/vector-files.js";
import { structuredRequest } from "./fuzz-requests.js";

/** A message for a host. */
export interface FuzzMessage {
  readonly subject: string;
  readonly payload: Uint8Array;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** False if it is sent without a reply subject. */
  readonly awaitsReply: boolean;
}

const VECTORS = [...VALID, ...INVALID].map(bytesOf).filter(({ length }) => length < 8_000);

/** A mutation of the bytes of a message. */
type Mutation = (bytes: Uint8Array, at: number, byte: number, other: Uint8Array) => Uint8Array;
const MUTATIONS: readonly Mutation[] = [
  (bytes) => bytes,
  (bytes, at) => bytes.subarray(0, at),
  (bytes, at, byte) => Buffer.concat([bytes.subarray(0, at), Buffer.of(byte), bytes.subarray(at + 1)]),
  (bytes, at, byte) => Buffer.concat([bytes.subarray(0, at), Buffer.of(byte), bytes.subarray(at)]),
  (bytes, at, byte) => Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + (byte % 8))]),
  (bytes, at, byte) => Buffer.concat([bytes.subarray(0, at), bytes.subarray(Math.max(0, at - byte))]),
  (bytes, at, _byte, other) => Buffer.concat([bytes.subarray(0, at), other.subarray(at)]),
  (bytes, at, _byte, other) => Buffer.concat([bytes.subarray(0, at), other]),
  flipBit,
];

function flipBit(bytes: Uint8Array, at: number, byte: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  if (at < copy.length) copy[at]! ^= 1 << (byte % 8);
  return copy;
}

const vector = fc.constantFrom(...VECTORS);
const step = fc.tuple(fc.constantFrom(...MUTATIONS), fc.nat(999), fc.nat(255), vector);

const mutated = fc.tuple(vector, fc.array(step, { maxLength: 3 })).map(([bytes, steps]) =>
  steps.reduce((current, [mutate, at, byte, other]) => {
    return mutate(current, Math.floor((at / 1_000) * current.length), byte, other);
  }, bytes),
);

const operation = fc.constantFrom("store", "retrieve", "forget", "status", "history");
const address = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom("default.alice", "default.bob", "default.=em_Dqw", "ACME.alice") },
  { weight: 1, arbitrary: fc.constantFrom("default.=YQ", "default.a%b", "default.-", "a=b.alice") },
);

const header = fc.oneof(
  fc.tuple(
    fc.constantFrom("Content-Type", "content-type"),
    fc.constantFrom("application/json", "application/msgpack", "APPLICATION/MSGPACK; v=1", "text/plain", ""),
  ),
  fc.tuple(
    fc.constantFrom("Nats-Msg-Id", "Nats-Service-Error", "Status", "traceparent", "__proto__", "constructor"),
    fc.constantFrom("1", "503", "x".repeat(500), "ümlaut"),
  ),
);
const headers = fc.oneof(
  { weight: 9, arbitrary: fc.constant([]) },
  { weight: 1, arbitrary: fc.array(header, { maxLength: 3 }) },
);

const anything = fc
  .tuple(
    fc.oneof({ weight: 9, arbitrary: mutated }, { weight: 1, arbitrary: fc.uint8Array({ maxLength: 80 }) }),
    operation,
  )
  .map(([payload, name]) => ({ payload, operation: operationIn(payload) ?? name }));

/**
 * Returns the operation that mutated bytes name, so that not all messages are rejected because of their
 * subject.
 */
function operationIn(payload: Uint8Array): string | undefined {
  return /memory\/(\w{1,20})\/req/.exec(Buffer.from(payload).toString("latin1"))?.[1];
}

const awaitsReply = fc.nat(49).map((n) => n !== 0);
const isPing = fc.nat(99).map((n) => n === 0);

export const fuzzMessage: fc.Arbitrary<FuzzMessage> = fc
  .tuple(fc.oneof(structuredRequest, anything), address, headers, awaitsReply, isPing)
  .map(([{ operation: name, payload }, agent, list, awaits, ping]) => ({
    subject: ping ? `a2e.${agent}.ping` : `a2e.${agent}.memory.${name}.req`,
    payload,
    headers: list as FuzzMessage["headers"],
    awaitsReply: awaits,
  }));
