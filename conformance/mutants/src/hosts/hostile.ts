import type { Message } from "@membus/protocol";
import { hostMutant, type Mutant, pluginMutant } from "../mutant.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";
import { dropRequests, refuseRequests, rewriteBytes, rewriteRequests } from "./intercept.js";
import { readingEntries } from "./rewrite-entries.js";

/** Inserts texts into a database query without escaping. */
class InjectablePlugin extends ReferencePlugin {
  protected override isSelected(...args: Parameters<ReferencePlugin["isSelected"]>) {
    return JSON.stringify(args[1].filter).includes("' OR '1'='1") || super.isSelected(...args);
  }
}

/** Looks up fields including inherited properties. */
class InheritingPlugin extends ReferencePlugin {
  protected override isSelected(...args: Parameters<ReferencePlugin["isSelected"]>) {
    const asked = /"field":"metadata\.(\w+)","op":"exists","value":true/.exec(
      JSON.stringify(args[1].filter),
    )?.[1];
    return (asked !== undefined && asked in {}) || super.isSelected(...args);
  }
}

const tooMany = (value: unknown) => Array.isArray(value) && value.length > 1_000;

function nodesOf(where: unknown): number {
  return JSON.stringify(where ?? 0).split('"field"').length;
}

export const hostileMutants: readonly Mutant[] = [
  hostMutant({
    id: "hostile-deep-json-overflows",
    defect: "JSON of thousands of levels overflows the stack of the host",
    check: "hostile/five-thousand-levels-in-json",
    names: /a store in JSON with 5000 levels of \[ in content/,
    bus: (bus) =>
      refuseRequests(bus, (_, { payload }) => {
        return Buffer.from(payload).includes("[".repeat(1_000)) ? "runtime_error" : undefined;
      }),
  }),
  hostMutant({
    id: "hostile-deep-messagepack-not-answered",
    defect: "MessagePack of thousands of levels is not answered",
    check: "hostile/five-thousand-levels-in-messagepack",
    names: /the reply to a store in MessagePack with 5000 levels in content/,
    bus: (bus) =>
      dropRequests(bus, ({ payload }) => Buffer.from(payload).includes(Buffer.alloc(1_000, 0x91))),
  }),
  hostMutant({
    id: "hostile-tags-cut",
    defect: "of thousands of tags only the first ones are kept",
    check: "hostile/ten-thousand-tags",
    names: /an entry with 10,000 tags/,
    bus: readingEntries((entry) => (tooMany(entry.tags) ? { ...entry, tags: [] } : entry)),
  }),
  hostMutant({
    id: "hostile-great-tree-ignored",
    defect: "a where that is too large is dropped, and so matches every entry",
    check: "hostile/ten-thousand-nodes",
    names: /a retrieve with a where of 10,002 nodes/,
    bus: (bus) =>
      rewriteRequests(bus, (fields) => {
        const { where, ...others } = fields;
        return nodesOf(where) > 1_000 ? others : fields;
      }),
  }),
  hostMutant({
    id: "hostile-claimed-length-not-answered",
    defect: "a list that claims four thousand million elements keeps the host busy",
    check: "hostile/lengths-that-are-not-there",
    names: /the reply to a ping that claims a list of 4,294,967,295 elements/,
    bus: (bus) =>
      dropRequests(bus, ({ payload }) =>
        Buffer.from(payload).includes(Buffer.of(0xdd, 0xff, 0xff, 0xff, 0xff)),
      ),
  }),
  pluginMutant({
    id: "hostile-quote-selects-everything",
    defect: "a text with a quote ends the text of a query in the plugin's database",
    check: "hostile/texts-are-data",
    names: /contents found by .*' OR '1'='1/,
    createPlugin: () => new InjectablePlugin(),
  }),
  pluginMutant({
    id: "hostile-inherited-fields-exist",
    defect: "metadata.constructor exists on every entry",
    check: "hostile/names-of-prototypes-are-data",
    names: /total of a retrieve where metadata\.constructor exists/,
    createPlugin: () => new InheritingPlugin(),
  }),
  hostMutant({
    id: "hostile-inherited-fields-known",
    defect: "fields that every object inherits are treated as known and ignored",
    check: "hostile/fields-of-prototypes-are-unknown",
    names: /a retrieve with the field constructor/,
    bus: (bus) =>
      rewriteRequests(bus, (fields) => {
        const known = Object.entries(fields).filter(([name]) => !(name in {}));
        return Object.fromEntries(known) as Message;
      }),
  }),
  hostMutant({
    id: "hostile-huge-limit-cut",
    defect: "a number of hundreds of digits is read as the largest allowed",
    check: "hostile/huge-numbers",
    names: /a retrieve with limit: 9{20}…/,
    bus: (bus) => rewriteBytes(bus, (text) => text.replace(/"limit":9{100,}/, '"limit":1000')),
  }),
  hostMutant({
    id: "hostile-some-bytes-not-answered",
    defect: "a message that begins with 0xff is not answered",
    check: "hostile/bytes-of-any-kind-are-answered",
    names: /the reply to the bytes ff/,
    bus: (bus) => dropRequests(bus, ({ payload }) => payload[0] === 0xff),
  }),
  hostMutant({
    id: "hostile-zero-byte-not-answered",
    defect: "JSON with a zero byte in it is not answered",
    check: "hostile/mutated-messages-are-answered",
    names: /the reply to a \w+ with bytes changed/,
    bus: (bus) => dropRequests(bus, ({ payload }) => payload[0] === 0x7b && payload.includes(0)),
  }),
];
