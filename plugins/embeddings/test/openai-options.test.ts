import { describe, expect, it } from "vitest";
import { createOpenAiEmbedder } from "../src/index.js";

const given = { baseUrl: "http://127.0.0.1:8080/v1", model: "m", dimensions: 3 };
const creating = (options: object) => () =>
  createOpenAiEmbedder({ ...given, ...options }, { clock: { now: () => 0, after: () => () => {} } });

describe("createOpenAiEmbedder", () => {
  it("suggests the nearest option for an unknown one", () => {
    expect(creating({ baseURL: "x" })).toThrow(
      new TypeError("unknown option `baseURL` (did you mean `baseUrl`?)"),
    );
  });

  it.each([
    ["baseUrl", undefined],
    ["baseUrl", "http://u:p@h/v1"],
    ["model", undefined],
    ["model", ""],
    ["dimensions", undefined],
    ["dimensions", 0],
    ["dimensions", 4_097],
    ["apiKey", "sk 1"],
    ["batchSize", 0],
    ["batchSize", 2_049],
    ["batchBytesMax", 0],
    ["textBytesMax", 1.5],
    ["concurrencyMax", 65],
    ["timeoutMs", 0],
    ["retryCountMax", -1],
    ["retryCountMax", 11],
    ["retryAfterMsMax", 60_001],
    ["responseBytesMax", 1_023],
    ["requestDimensions", "yes"],
    ["queryPrefix", 1],
    ["documentPrefix", null],
  ])("rejects %s of %j", (name, value) => {
    expect(creating({ [name]: value })).toThrow(TypeError);
    expect(creating({ [name]: value })).toThrow(new RegExp(`^${name} must be`));
  });
});
