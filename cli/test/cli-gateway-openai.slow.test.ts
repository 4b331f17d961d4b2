import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ScriptedOpenAi } from "../../agentic/test/scripted-openai/index.js";
import { askFromProcess } from "../../gateway/test/openai-client-process.js";
import { startRememberingModel } from "../../gateway/test/remembering-model.js";
import { endChild, lineOf, spawnCli } from "./run-cli.js";
import { RunningHost } from "./running-host.js";

const host = new RunningHost();
let model: ScriptedOpenAi;
beforeAll(async () => {
  await host.start();
  model = await startRememberingModel();
});
afterAll(async () => {
  await model.stop();
  await host.stop();
});

async function start(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const options = { url: host.url, cwd: host.directory, env };
  const gateway = spawnCli(["gateway", "--listen", "127.0.0.1:0", ...args], options);
  const line = await lineOf(gateway, /^membus gateway is listening on/);
  return { gateway, url: line.split(" ").at(-1)! };
}

describe("membus gateway --openai", () => {
  it("remembers messages after the gateway and the host are killed", async () => {
    const first = await start(["--openai", model.baseUrl]);
    await askFromProcess(first.url, "responses", "I live in Lisbon", true);
    await endChild(first.gateway, "SIGKILL");
    await host.restart();
    const second = await start(["--openai", model.baseUrl]);
    expect(await askFromProcess(second.url, "chat", "In which city do I live?", false)).toBe(
      "You live in Lisbon.",
    );
    expect(model.requests.at(-1)!.headers.authorization).toBe("Bearer sk-test");
    expect(await endChild(second.gateway, "SIGTERM")).toBe(0);
  });

  it("separates gateway tokens from the key of the model server", async () => {
    const sha256 = createHash("sha256").update("sk-test").digest("hex");
    const openai = { upstream: model.baseUrl, api_key_env: "UPSTREAM_KEY", mode: "off" };
    const settings = { gateway: { tokens: [{ sha256, tenant: "default" }], openai } };
    const path = join(host.directory, "gateway.yaml");
    writeFileSync(path, JSON.stringify(settings));
    const { gateway, url } = await start(["--config", path], { UPSTREAM_KEY: "sk-upstream" });
    expect(await askFromProcess(url, "chat", "In which city do I live?", false)).toBe("You did not say.");
    expect(model.requests.at(-1)!.headers.authorization).toBe("Bearer sk-upstream");
    expect((await fetch(`${url}/v1/models`, { headers: { authorization: "Bearer other" } })).status).toBe(
      401,
    );
    expect(await endChild(gateway, "SIGTERM")).toBe(0);
    const { code, stderr } = await host.cli(["gateway", "--config", path]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("UPSTREAM_KEY is not set")]);
  });
});
