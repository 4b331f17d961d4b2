import type { Message } from "@membus/protocol";
import { type Check, hostCheck, hostTierCheck } from "../../catalogue/check.js";
import type { HostContext } from "../../context.js";
import {
  accepted,
  forEachOf,
  listOf,
  refused,
  request,
  storedEntries,
} from "../../fixtures/bare-messages.js";
import { packedDouble, packedString, RAW, rawJson, rawPack } from "../../fixtures/raw-values.js";
import { textPlaces } from "../../fixtures/text-places.js";

/** A value in the notation of each encoding. */
interface RawValues {
  readonly json: readonly string[];
  readonly packed: readonly (readonly number[])[];
}

const NOT_A_NUMBER: RawValues = {
  json: ["NaN", "-NaN", "Infinity", "-Infinity", "1e400", "-1e400"],
  packed: [
    packedDouble(Number.NaN),
    packedDouble(Number.POSITIVE_INFINITY),
    packedDouble(Number.NEGATIVE_INFINITY),
    [0xca, 0x7f, 0xc0, 0x00, 0x00],
    [0xca, 0x7f, 0x80, 0x00, 0x00],
    [0xca, 0xff, 0x80, 0x00, 0x00],
  ],
};

const TOO_GREAT: RawValues = {
  json: [
    "9007199254740992",
    "-9007199254740992",
    "9007199254740993",
    "12345678901234567890",
    "-1000000000000000000000",
  ],
  packed: [
    [0xcf, 0x00, 0x20, 0, 0, 0, 0, 0, 0],
    [0xcf, 0x00, 0x20, 0, 0, 0, 0, 0, 1],
    [0xd3, 0xff, 0xe0, 0, 0, 0, 0, 0, 0],
    [0xcf, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
  ],
};

const LONE_SURROGATES: RawValues = {
  json: ['"\\ud800"', '"before\\udc00after"', '"\\udc00\\ud800"', '{"\\udbff":1}'],
  packed: [packedString([0xed, 0xa0, 0x80]), [0x81, ...packedString([0xed, 0xb0, 0x80]), 0x01]],
};

const PROTO_FIELDS: RawValues = {
  json: [
    '{"__proto__":1}',
    '{"__proto__":{"admin":true}}',
    '{"\\u005f_proto__":null}',
    '{"a":[{"__proto__":[]}]}',
  ],
  packed: [
    [0x81, ...packedString("__proto__"), 0x01],
    [0x81, ...packedString("a"), 0x91, 0x81, ...packedString("__proto__"), 0xc0],
  ],
};

const PACKED_ONLY: RawValues = {
  json: [],
  packed: [
    [0x81, 0x01, 0x02],
    [0x81, 0xc0, 0x02],
    [0x81, 0xc3, 0x02],
    [0x81, 0xc4, 0x01, 0x61, 0x02],
    [0xd4, 0x01, 0x00],
    [0xd6, 0xff, 0, 0, 0, 1],
    [0xc7, 0x03, 0x05, 0x61, 0x62, 0x63],
    [0xc4, 0x04, 0x61, 0x62, 0x63, 0x64],
    [0xc5, 0x00, 0x04, 0x61, 0x62, 0x63, 0x64],
    [0x81, ...packedString("embedding"), 0xc4, 0x04, 0, 0, 0, 0],
  ],
};

/**
 * Returns messages that contain `RAW` in places where the host must refuse the value, even in ignored fields.
 */
function carriers(t: HostContext): readonly (readonly [place: string, "store" | "retrieve", Message])[] {
  return [
    ["content", "store", request(t, "store", { entries: [t.entry({ content: RAW })] })],
    ["a list in content", "store", request(t, "store", { entries: [t.entry({ content: { a: [0, RAW] } })] })],
    ["a field of the key", "store", request(t, "store", { entries: [t.entry({ key: { id: RAW } })] })],
    [
      "a field of the message that is ignored",
      "store",
      request(t, "store", { x_raw: RAW, entries: [t.entry()] }),
    ],
    ["match of a retrieve", "retrieve", request(t, "retrieve", { match: { id: RAW } })],
  ];
}

async function refusedEverywhere(t: HostContext, { json, packed }: RawValues): Promise<void> {
  const codes = ["schema_violation", "parse_error"] as const;
  for (const [place, operation, message] of carriers(t)) {
    await forEachOf(json, async (text) => {
      const what = `a ${operation} in JSON with ${text} in ${place}`;
      await refused(t, what, operation, rawJson(message, text), codes);
    });
    await forEachOf(packed, async (bytes) => {
      const what = `a ${operation} in MessagePack with the bytes ${hex(bytes)} in ${place}`;
      const contentType = "application/msgpack";
      await refused(t, what, operation, rawPack(message, bytes), codes, { contentType });
    });
  }
  t.expect.equal(await storedEntries(t), [], "entries after stores that were refused");
}

function hex(bytes: readonly number[]): string {
  return Buffer.from(bytes).toString("hex");
}

function refusedValueCheck(id: string, clauses: readonly [string, ...string[]], values: RawValues): Check {
  return hostCheck({ id, clauses, run: (t) => refusedEverywhere(t, values) });
}

/** Values that both encodings can carry, including bounds and values that parsers often misread. */
const CARRIED: Readonly<Record<string, unknown>> = {
  integers: [9007199254740991, -9007199254740991, 0, 127, 128, 255, 256, 65536, 4294967295, 4294967296],
  negative: [-1, -32, -33, -128, -129, -32769, -2147483648, -2147483649],
  "great doubles": [
    6.02e23,
    2 ** 53,
    -(2 ** 53) - 2,
    1.2e18,
    123456789012345680000,
    -1e21,
    1.7976931348623157e308,
  ],
  fractions: [0.1, -0.5, 5e-324, 2.2250738585072014e-308, 4503599627370495.5, 1e-7],
  text: ["", " ", "🦊👩‍👩‍👧", "記憶", "e\u0301", "a\u0000b\u001f", "\ufeff", "\u2028", '"\\/', "\uffff"],
  constants: [null, true, false, [], {}, [[[]]], { a: { b: {} } }],
  proto: 1,
  __proto: 2,
  constructor: { prototype: 3 },
  toString: "text",
  hasOwnProperty: false,
  "": "empty name",
  "a.b": { $set: 1 },
  "🦊": "astral",
  type: "memory/forget/req",
  embedding: [1, 2],
};

const carriedCheck = hostTierCheck({
  id: "encoding/values-survive-both-encodings",
  clauses: ["ENV-VALUE-1", "ENV-VALUE-3", "ENC-4"],
  async run(t) {
    for (const written of ["json", "msgpack"] as const) {
      const entry = t.entry({ content: CARRIED as never });
      const sent = request(t, "store", { entries: [entry] });
      const { errors } = await accepted(t, `a store in ${written}`, "store", sent, { encoding: written });
      t.expect.equal(errors, [], `errors of a store in ${written} of what both encodings carry`);
      for (const read of ["json", "msgpack"] as const) {
        const asked = request(t, "retrieve", { tier: t.tier, keys: [entry.key] });
        const { entries } = await accepted(t, `a retrieve in ${read}`, "retrieve", asked, { encoding: read });
        const [found] = listOf(entries);
        for (const [name, value] of Object.entries(CARRIED)) {
          const got = (found?.content as Message | undefined)?.[name];
          t.expect.equal(
            got,
            value,
            `field "${name}" of content stored in ${written} and retrieved in ${read}`,
          );
        }
      }
    }
  },
});

const everyTextCheck = hostCheck({
  id: "encoding/lone-surrogates-refused-in-every-text",
  clauses: ["ENV-VALUE-4", "ENV-VALUE-1"],
  async run(t) {
    const codes = ["schema_violation", "parse_error"] as const;
    for (const [place, operation, message] of textPlaces(t)) {
      for (const text of ['"\\ud83e"', '"a\\udc00b"']) {
        const what = `a ${operation} in JSON with ${text} as ${place}`;
        await refused(t, what, operation, rawJson(message, text), codes);
      }
      const bytes = packedString([0x61, 0xed, 0xa0, 0xbe]);
      const what = `a ${operation} in MessagePack with the bytes ${hex(bytes)} as ${place}`;
      const packed = rawPack(message, bytes);
      await refused(t, what, operation, packed, codes, { contentType: "application/msgpack" });
    }
    t.expect.equal(await storedEntries(t), [], "entries after stores with lone surrogates");
  },
});

export const encodingValueChecks: readonly Check[] = [
  refusedValueCheck("encoding/not-a-number-refused", ["ENV-VALUE-2", "ENV-VALUE-1"], NOT_A_NUMBER),
  refusedValueCheck("encoding/integers-beyond-2-53-refused", ["ENV-VALUE-3", "ENV-VALUE-1"], TOO_GREAT),
  refusedValueCheck("encoding/lone-surrogates-refused", ["ENV-VALUE-4", "ENV-VALUE-1"], LONE_SURROGATES),
  refusedValueCheck("encoding/proto-fields-refused", ["ENV-VALUE-5", "ENV-VALUE-1"], PROTO_FIELDS),
  refusedValueCheck("encoding/messagepack-only-values-refused", ["ENV-VALUE-6", "ENV-VALUE-1"], PACKED_ONLY),
  everyTextCheck,
  carriedCheck,
];
