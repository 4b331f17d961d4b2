import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  decodeMessage,
  errorHeaders,
  MemoryError,
  type Message,
  parseRequest,
  parseStoreEntry,
} from "../src/index.js";
import { bytesOf, INVALID, VALID } from "./vector-files.js";

const PAYLOADS = [...VALID, ...INVALID].map(bytesOf).filter((bytes) => bytes.length < 20_000);

interface Mutation {
  readonly at: number;
  readonly kind: "flip" | "insert" | "remove" | "repeat" | "cut" | "splice";
  readonly byte: number;
  readonly other: number;
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  kind: fc.constantFrom("flip", "insert", "remove", "repeat", "cut", "splice"),
  byte: fc.integer({ min: 0, max: 255 }),
  other: fc.nat(PAYLOADS.length - 1),
});

function mutate(bytes: Uint8Array, { at, kind, byte, other }: Mutation): Uint8Array {
  const index = Math.floor(at * bytes.length);
  const [before, after] = [bytes.subarray(0, index), bytes.subarray(index)];
  switch (kind) {
    case "flip":
      return Buffer.concat([before, Buffer.of(byte), after.subarray(1)]);
    case "insert":
      return Buffer.concat([before, Buffer.of(byte), after]);
    case "remove":
      return Buffer.concat([before, after.subarray(1 + (byte % 8))]);
    case "repeat":
      return Buffer.concat([before, after.subarray(0, byte), after]);
    case "cut":
      return before;
    case "splice":
      return Buffer.concat([before, PAYLOADS[other]!.subarray(index)]);
  }
}

/** Handles bytes like a host. Returns true if they were refused. Throws errors other than `MemoryError`. */
function handle(bytes: Uint8Array): boolean {
  const outcome = decodeMessage(bytes);
  if (!outcome.ok) return outcome.text.length < 2_000;
  try {
    const request = parseRequest(outcome.message as Message);
    if (request.type === "memory/store/req") for (const entry of request.entries) parseStoreEntry(entry);
    return false;
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error;
    expect(JSON.stringify([error.message, error.detail, errorHeaders(error)]).length).toBeLessThan(20_000);
    return true;
  }
}

describe("fuzz", () => {
  it("20,000 mutated vectors are accepted or refused without another error", () => {
    let refused = 0;
    fc.assert(
      fc.property(
        fc.nat(PAYLOADS.length - 1),
        fc.array(mutation, { minLength: 1, maxLength: 4 }),
        (index, steps) => {
          if (handle(steps.reduce(mutate, PAYLOADS[index]!))) refused++;
        },
      ),
      { numRuns: 20_000, seed: 7 },
    );
    expect(refused).toBeGreaterThan(15_000);
    expect(refused).toBeLessThan(20_000);
  });

  it("random bytes are accepted or refused without another error", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), fc.constantFrom(0x7b, 0x81, 0xde), (bytes, first) => {
        handle(Buffer.concat([Buffer.of(first), bytes]));
      }),
      { numRuns: 5_000, seed: 7 },
    );
  });
});
