import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resolveConfig } from "../src/config/resolve-config.js";

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "membus-test-"));
});
afterAll(() => rmSync(directory, { recursive: true }));

function configFile(yaml: string): string {
  const path = join(directory, "membus.yaml");
  writeFileSync(path, yaml);
  return path;
}

describe("precedence of settings", () => {
  it("uses defaults", async () => {
    const config = await resolveConfig({ flags: {}, env: {}, configPath: configFile("") });
    expect(config).toEqual({
      nats: { port: 4222, tier_subjects: false },
      prefix: "a2e",
      tenant: "default",
      agent: "cli",
      session: "",
      namespace: "default",
      timeout_ms: 5000,
      data: join(process.cwd(), ".membus"),
      durability: "disk",
      embedder: { provider: "static" },
      log_level: "warn",
      audit: false,
      plugins: {},
      gateway: { openai: {} },
      http: false,
    });
    expect(Object.isFrozen(config)).toBe(true);
  });

  it("prefers flags, then the environment, then the file, then defaults", async () => {
    const configPath = configFile(
      "agent: file\ntenant: file\nprefix: file\nnats: { url: nats://file, port: 7 }\n",
    );
    const env = { MEMBUS_AGENT: "env", MEMBUS_TENANT: "env", NATS_URL: "nats://env" };
    const config = await resolveConfig({ flags: { agent: "flag" }, env, configPath });
    expect([config.agent, config.tenant, config.prefix, config.session]).toEqual(["flag", "env", "file", ""]);
    expect(config.nats).toMatchObject({ url: "nats://env", port: 7 });
  });

  it("merges the settings of a section from all sources", async () => {
    const configPath = configFile("nats: { user: file, password: file }\n");
    const env = { MEMBUS_NATS_PASSWORD: "env" };
    const { nats } = await resolveConfig({ flags: { nats: { port: 5 } }, env, configPath });
    expect(nats).toMatchObject({ user: "file", password: "env", port: 5 });
  });

  it("ignores empty variables", async () => {
    const env = { MEMBUS_AGENT: "", NATS_URL: "" };
    const config = await resolveConfig({ flags: {}, env, configPath: configFile("agent: file") });
    expect([config.agent, config.nats.url]).toEqual(["file", undefined]);
  });
});

describe("invalid settings", () => {
  const refusal = (yaml: string) => resolveConfig({ flags: {}, env: {}, configPath: configFile(yaml) });

  it("suggest the nearest known key", async () => {
    await expect(refusal("durabilty: disk")).rejects.toThrow(
      /: unknown option `durabilty` \(did you mean `durability`\?\)/,
    );
    await expect(refusal("nats: { prot: 1 }")).rejects.toThrow(
      /nats: unknown option `prot` \(did you mean `port`\?\)/,
    );
    await expect(refusal("embedder: { provider: static, modle: x }")).rejects.toThrow(
      /embedder: unknown option `modle` \(did you mean `model`\?\)/,
    );
  });

  it("name the setting and its source", async () => {
    await expect(refusal("nats: { port: 0 }")).rejects.toThrow(
      /membus.yaml: nats.port must be an integer of 1..65535, got 0/,
    );
    await expect(refusal("cluster: { monitoring: ['n1:8222'] }")).rejects.toThrow(
      /membus.yaml: cluster.monitoring.*must be an http\(s\) URL/,
    );
    const env = { MEMBUS_DURABILITY: "paper" };
    await expect(resolveConfig({ flags: {}, env, configPath: configFile("") })).rejects.toThrow(
      /environment: durability must be one of disk, process/,
    );
    const flags = { timeout_ms: 0 };
    await expect(resolveConfig({ flags, env: {}, configPath: configFile("") })).rejects.toThrow(
      /flags: timeout_ms must be/,
    );
  });

  it("are TypeErrors, as are invalid YAML and an absent file", async () => {
    await expect(refusal("a: [")).rejects.toThrow(/is not valid YAML/);
    const configPath = join(directory, "absent.yaml");
    const missing = resolveConfig({ flags: {}, env: {}, configPath });
    await expect(missing).rejects.toThrow(/cannot read .*absent.yaml/);
    await expect(missing).rejects.toBeInstanceOf(TypeError);
  });
});
