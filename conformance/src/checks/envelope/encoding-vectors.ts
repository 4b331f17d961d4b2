import { type Check, hostTierCheck } from "../../catalogue/check.js";
import type { HostContext } from "../../context.js";
import { accepted, answer, listOf, recordOf, request, storedEntries } from "../../fixtures/bare-messages.js";
import { RAW, rawJson, rawPack } from "../../fixtures/raw-values.js";

/** Returns a unit vector of the host's embedder that changes if read in another byte order. */
function vectorOf(t: HostContext): number[] {
  const vector = new Array<number>(t.embedder?.dimensions ?? 0).fill(0);
  vector[0] = -0.6;
  vector[vector.length - 1] = 0.8;
  return vector;
}

async function storedVector(t: HostContext, key: unknown, encoding: "json" | "msgpack"): Promise<unknown> {
  const asked = request(t, "retrieve", { tier: t.tier, keys: [key], include: ["embedding"] });
  const { entries } = await accepted(t, `a retrieve in ${encoding}`, "retrieve", asked, { encoding });
  return listOf(entries)[0]?.embedding;
}

function expectVector(t: HostContext, got: unknown, vector: readonly number[], what: string): void {
  const components = Array.from((got ?? []) as Float32Array);
  t.expect.equal(components.length, vector.length, `components of ${what}`);
  for (const at of [0, 1, vector.length - 1]) {
    t.expect.near(components[at], vector[at]!, 1e-6, `component ${at} of ${what}`);
  }
}

/** Expects a vector to be refused, either for the message or for its entry. */
async function vectorRefused(
  t: HostContext,
  what: string,
  bytes: Uint8Array,
  contentType: string,
): Promise<void> {
  const { message } = await answer(t, what, "store", bytes, { contentType });
  const code = message.code ?? listOf(message.errors)[0]?.code;
  t.expect.equal(code, "schema_violation", `code of the error to ${what}, or of its entry`);
}

function float32(value: number, count: number, order: "LE" | "BE" = "LE"): number[] {
  const bytes = Buffer.alloc(4);
  if (order === "LE") bytes.writeFloatLE(value);
  else bytes.writeFloatBE(value);
  const size = 4 * count;
  return [0xc5, size >> 8, size & 0xff, ...bytes, ...new Array<number>(size - 4).fill(0)];
}

export const encodingVectorChecks: readonly Check[] = [
  hostTierCheck({
    id: "encoding/vectors-are-float32-in-messagepack-and-lists-in-json",
    clauses: ["ENC-5"],
    features: ["similarity"],
    async run(t) {
      const vector = vectorOf(t);
      const embedding_model = t.embedder?.id;
      for (const written of ["json", "msgpack"] as const) {
        const embedding = written === "json" ? vector : Float32Array.from(vector);
        const entry = t.entry({ embedding: embedding as never, embedding_model });
        const sent = request(t, "store", { entries: [entry] });
        const { errors } = await accepted(t, `a store in ${written}`, "store", sent, { encoding: written });
        t.expect.equal(errors, [], `errors of a store in ${written} of an entry with a vector`);
        const listed = await storedVector(t, entry.key, "json");
        t.expect.holds(Array.isArray(listed), "a vector in JSON", recordOf(listed), "a list of numbers");
        expectVector(t, listed, vector, `a vector stored in ${written} and retrieved in json`);
        const packed = await storedVector(t, entry.key, "msgpack");
        const isBinary = packed instanceof Float32Array;
        t.expect.holds(isBinary, "a vector in MessagePack", typeof packed, "binary of float32");
        expectVector(
          t,
          packed,
          vector,
          `a vector stored in ${written} and retrieved in msgpack, little-endian`,
        );
      }
    },
  }),
  hostTierCheck({
    id: "encoding/vector-as-list-in-messagepack",
    clauses: ["ENC-6"],
    features: ["similarity"],
    async run(t) {
      const vector = vectorOf(t);
      const entry = t.entry({ embedding: vector as never, embedding_model: t.embedder?.id });
      const what = "a store in MessagePack with a vector as a list of numbers";
      const sent = request(t, "store", { entries: [entry] });
      const { errors } = await accepted(t, what, "store", sent, { encoding: "msgpack" });
      t.expect.equal(errors, [], `errors of ${what}`);
      expectVector(t, await storedVector(t, entry.key, "json"), vector, `the vector of ${what}`);
    },
  }),
  hostTierCheck({
    id: "encoding/vector-components-are-bounded",
    clauses: ["ENC-5", "LIMIT-6"],
    features: ["similarity"],
    async run(t) {
      const count = t.embedder?.dimensions ?? 1;
      const entry = t.entry({ embedding: RAW as never, embedding_model: t.embedder?.id });
      const message = request(t, "store", { entries: [entry] });
      const list = (first: string) => `[${[first, ...new Array<string>(count - 1).fill("0")].join(",")}]`;
      for (const first of ["9005000000000000", "-9005000000000000", "1e16", "9.1e15"]) {
        const what = `a store in JSON of a vector with the first component ${first}`;
        await vectorRefused(t, what, rawJson(message, list(first)), "application/json");
      }
      for (const first of [9.005e15, -9.005e15, 1e16, Number.NaN, Number.POSITIVE_INFINITY]) {
        const what = `a store in MessagePack of a float32 vector with the first component ${first}`;
        await vectorRefused(t, what, rawPack(message, float32(first, count)), "application/msgpack");
      }
      t.expect.equal(await storedEntries(t), [], "entries after stores of vectors that were refused");
    },
  }),
];
