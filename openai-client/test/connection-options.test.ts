import { optionSet, parseOptions } from "@membus/protocol";
import { expect, it } from "vitest";
import { connectionOptions } from "../src/index.js";

const schema = optionSet(connectionOptions(4_096));
const given = { baseUrl: "http://127.0.0.1:8080/v1", model: "m" };

it("applies defaults", () => {
  expect(parseOptions(schema, given)).toEqual({ ...given, apiKey: "", responseBytesMax: 4_096 });
});

it.each(["", "nowhere", "file:///x", "http://u:p@h/v1", "http://h/v1?key=sk", "http://h/v1#sk", 7])(
  "rejects the base URL %j without repeating it",
  (baseUrl) => {
    const message = "baseUrl must be an http(s) URL without credentials, query or fragment";
    expect(() => parseOptions(schema, { ...given, baseUrl } as never)).toThrow(new TypeError(message));
  },
);

it.each(["sk-1\n", "sk 1", "schlüssel", 5])("rejects the key %j without repeating it", (apiKey) => {
  const message = "apiKey must be printable ASCII without spaces";
  expect(() => parseOptions(schema, { ...given, apiKey } as never)).toThrow(new TypeError(message));
});
