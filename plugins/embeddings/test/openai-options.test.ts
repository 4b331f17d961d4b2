import { describe, expect, it } from "vitest";
import { OPENAI_EMBEDDER_DEFAULTS, resolveOpenAiEmbedderOptions } from "../src/index.js";

const given = { baseURL: "http://127.0.0.1:8080/v1", model: "m", dimensions: 3 };
const resolving = (options: object) => () => resolveOpenAiEmbedderOptions({ ...given, ...options });

describe("resolveOpenAiEmbedderOptions", () => {
  it("fills in the defaults, freezes the result and does not change its input", () => {
    const input = { ...given, apiKey: undefined };
    const options = resolveOpenAiEmbedderOptions(input);
    expect(options).toEqual({ ...OPENAI_EMBEDDER_DEFAULTS, ...given });
    expect(Object.isFrozen(options)).toBe(true);
    expect(input).toEqual({ ...given, apiKey: undefined });
  });

  it("suggests the nearest option for an unknown one", () => {
    expect(resolving({ baseUrl: "x" })).toThrow(
      new TypeError("unknown option `baseUrl` (did you mean `baseURL`?)"),
    );
  });

  it.each(["baseURL", "model", "dimensions"])("demands %s", (name) => {
    expect(resolving({ [name]: undefined })).toThrow(new RegExp(`^${name} must be`));
  });

  it.each([
    ["dimensions", 0],
    ["dimensions", 4_097],
    ["batchSize", 0],
    ["batchSize", 2_049],
    ["batchBytesMax", 0],
    ["textBytesMax", 1.5],
    ["concurrencyMax", 65],
    ["timeoutMs", 0],
    ["maxRetries", -1],
    ["maxRetries", 11],
    ["retryAfterMsMax", 60_001],
    ["responseBytesMax", 1_023],
    ["requestDimensions", "yes"],
    ["queryPrefix", 1],
    ["documentPrefix", null],
    ["model", ""],
  ])("refuses %s of %j", (name, value) => {
    expect(resolving({ [name]: value })).toThrow(TypeError);
    expect(resolving({ [name]: value })).toThrow(new RegExp(`^${name} must be`));
  });

  it.each(["", "nowhere", "file:///x", "http://u:p@h/v1", "http://h/v1?key=sk", "http://h/v1#sk", 7])(
    "refuses the base URL %j without repeating it",
    (baseURL) => {
      const message = "baseURL must be an http(s) URL without credentials, query or fragment";
      expect(resolving({ baseURL })).toThrow(new TypeError(message));
    },
  );

  it.each(["sk-1\n", "sk 1", "schlüssel", 5])("refuses the key %j without repeating it", (apiKey) => {
    expect(resolving({ apiKey })).toThrow(new TypeError("apiKey must be printable ASCII without spaces"));
  });
});
