import { readFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OPERATIONS } from "../src/openapi/operations.js";
import { GatewayFixture } from "./gateway-fixture.js";

const fixture = new GatewayFixture();
beforeAll(() => fixture.start());
afterAll(() => fixture.stop());

interface Description {
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

async function describeGateway(options: Parameters<GatewayFixture["gateway"]>[0]): Promise<Description> {
  const { url } = await fixture.gateway(options);
  const response = await fetch(`${url}/openapi.json`);
  expect(response.headers.get("content-type")).toContain("application/json");
  return (await response.json()) as Description;
}

const operationsIn = ({ paths }: Description) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  );

describe("the OpenAPI document of a gateway", () => {
  const everything = { mcp: true, openai: { upstream: "http://127.0.0.1:9/v1" } };

  it("is valid, and has the version of the package", async () => {
    const document = await describeGateway(everything);
    const { valid, errors } = await new Validator().validate({ ...document });
    expect({ valid, errors }).toEqual({ valid: true, errors: undefined });
    const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
    expect(document.info.version).toBe(manifest.version);
  });

  it("has every operation of a gateway that serves everything", async () => {
    expect(operationsIn(await describeGateway(everything)).sort()).toEqual(Object.keys(OPERATIONS).sort());
  });

  it("leaves out what the gateway does not serve", async () => {
    const operations = operationsIn(await describeGateway({ mcp: false }));
    expect(operations.filter((name) => name.includes("/mcp") || name.includes("/v1/"))).toEqual([]);
    expect(operations).toContain("post /session");
  });

  it("names only operations that exist", async () => {
    const { url } = await fixture.gateway({ mcp: true });
    for (const name of operationsIn(await describeGateway({ mcp: true }))) {
      const [method, path] = name.split(" ") as [string, string];
      const response = await fetch(url + path.replace("{namespace}", "a"), { method });
      expect([name, (await response.text()).startsWith('{"error":"no such path')]).toEqual([name, false]);
    }
  });
});
