import { describe, expect, it } from "vitest";
import { CONFIG_DEFAULTS } from "../../src/config/config-schema.js";
import { type EvalFlags, evalConfig, evaluationOptions, setFormat } from "../../src/eval/eval-flags.js";

/** Values that commander returns without flags. */
const NONE: EvalFlags = { namespace: true, group: true, date: true };

describe("the flags of membus eval", () => {
  it("have the same defaults as the options", () => {
    expect(evaluationOptions(NONE)).toEqual({
      ...{ tier: "episodic", mode: "hybrid", unit: "document", namespaces: true, groups: true, dates: true },
      ...{ contextTurns: 2, all: false },
    });
  });

  it("omit parts of a document, one by one or all three", () => {
    expect(evaluationOptions({ ...NONE, group: false })).toMatchObject({ groups: false, dates: true });
    expect(evaluationOptions({ ...NONE, context: "0" })).toMatchObject({ contextTurns: 0, groups: true });
    expect(evaluationOptions({ ...NONE, plain: true, context: "5" })).toMatchObject({
      ...{ namespaces: true, groups: false, dates: false, contextTurns: 0 },
    });
  });

  it.each<[Partial<EvalFlags>, string]>([
    [{ tier: "long" }, "--tier must be one of working, episodic, semantic, got long"],
    [{ mode: "magic" }, "--mode must be one of hybrid, vector, text, got magic"],
    [{ unit: "page" }, "--unit must be one of document, session, got page"],
    [{ context: "21" }, "--context must be an integer of 0..20, got 21"],
    [{ context: "1.5" }, "--context must be an integer of 0..20, got 1.5"],
    [{ context: "two" }, "--context must be a number, got two"],
    [{ failOnLoss: true }, "--fail-on-loss requires --baseline"],
  ])("%o is rejected", (flags, message) => {
    expect(() => evaluationOptions({ ...NONE, ...flags })).toThrow(new TypeError(message));
  });
});

it("the format of the set is membus by default", () => {
  expect([setFormat(NONE), setFormat({ ...NONE, format: "beam" })]).toEqual(["membus", "beam"]);
  expect(() => setFormat({ ...NONE, format: "csv" })).toThrow(
    new TypeError("--format must be one of membus, beam, longmemeval, locomo, got csv"),
  );
});

describe("its settings", () => {
  it("include the embedder and the server of the flags", () => {
    const config = { ...CONFIG_DEFAULTS, embedder: { provider: "static" as const, dimensions: 64 } };
    const { embedder, nats } = evalConfig(config, { ...NONE, embedder: "none", natsServer: "/opt/it" });
    expect(embedder).toEqual({ provider: "none", dimensions: 64 });
    expect(nats).toEqual({ ...CONFIG_DEFAULTS.nats, server: "/opt/it" });
  });

  it("reject an unknown embedder, and an embedder for a running host", () => {
    expect(() => evalConfig(CONFIG_DEFAULTS, { ...NONE, embedder: "magic" })).toThrow(
      /^--embedder must be one of/,
    );
    const running = { ...CONFIG_DEFAULTS, nats: { ...CONFIG_DEFAULTS.nats, url: "nats://127.0.0.1:4222" } };
    expect(() => evalConfig(running, { ...NONE, embedder: "none" })).toThrow(/needs a temporary host/);
  });
});
