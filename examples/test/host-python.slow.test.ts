import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { MemoryClient } from "@membus/agent-client";
import { launchNatsServer, type NatsServer } from "@membus/nats-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NATS_SERVER } from "../../bus/test/nats-server.js";
import { runSuiteCli } from "../../conformance/test/run-suite-cli.js";

/** A Python with the package `nats-py`. */
const PYTHON = process.env.MEMBUS_TEST_PYTHON ?? "python3";
const ENV = { ...process.env, PYTHONDONTWRITEBYTECODE: "1" };
const HOST = fileURLToPath(new URL("../host-python/host.py", import.meta.url));
const RUN_MS = 240_000;

const hasNats = spawnSync(PYTHON, ["-c", "import nats.micro"], { env: ENV, timeout: 60_000 }).status === 0;

describe.skipIf(!hasNats)(
  "the host in Python (needs the package nats-py, of python3 or of MEMBUS_TEST_PYTHON)",
  () => {
    const folder = mkdtempSync(join(tmpdir(), "membus-test-"));
    const pidFile = join(folder, "host.pid");
    let server: NatsServer;
    let host: ChildProcess;

    async function startHost(): Promise<ChildProcess> {
      const child = spawn(PYTHON, [HOST, server.url], { env: ENV, stdio: ["ignore", "pipe", "inherit"] });
      const [output] = await once(child.stdout!, "data");
      expect(String(output)).toMatch(/^serving/);
      return child;
    }

    beforeAll(async () => {
      server = await launchNatsServer({ binary: NATS_SERVER });
      host = await startHost();
    });
    afterAll(async () => {
      if (host.exitCode === null && host.kill("SIGKILL")) await once(host, "exit");
      await server.stop();
      rmSync(folder, { recursive: true });
    });

    it.each([
      ["a run of all checks", []],
      ["a run of the profile only", ["--only", "basic"]],
    ])(
      "conforms to basic in %s",
      async (_, only) => {
        const args = ["host", "--nats", server.url, "--tenants", "default,other", ...only];
        const { code, stdout } = await runSuiteCli(args, folder);
        expect(stdout).toContain("\nConformant to basic 1.0.\n");
        expect(stdout).toMatch(/^ {2}basic 1\.0: MUST (\d+)\/\1, SHOULD 0\/0, not applicable 1$/m);
        expect(code).toBe(0);
      },
      RUN_MS,
    );

    it(
      "conforms to basic when it is killed and restarted",
      async () => {
        const start = `${PYTHON} '${HOST}' ${server.url} >/dev/null 2>&1 & echo $! >'${pidFile}'`;
        host.kill("SIGKILL");
        await once(host, "exit");
        spawnSync("sh", ["-c", start], { env: ENV });
        const restart = ["--restart-command", `kill -9 $(cat '${pidFile}'); ${start}`];
        const args = [
          "host",
          "--nats",
          server.url,
          "--tenants",
          "default,other",
          "--only",
          "basic",
          ...restart,
        ];
        const { code, stdout } = await runSuiteCli(args, folder).finally(() =>
          process.kill(Number(readFileSync(pidFile, "utf8")), "SIGKILL"),
        );
        expect(stdout).toMatch(/^ {2}basic 1\.0: MUST (\d+)\/\1, SHOULD 0\/0, not applicable 0$/m);
        expect(code).toBe(0);
        host = await startHost();
      },
      RUN_MS,
    );

    it("works with the membus client, and reports unsupported features", async () => {
      const memory = await MemoryClient.connect({ servers: server.url, agent: "alice" });
      await memory.store({
        key: { id: "fact1" },
        content: { text: "Earth orbits the Sun" },
        tier: "semantic",
      });
      await memory.remember("user_name", "Alice", { tags: ["identity"], ttl: 600 });
      const found = await memory.retrieve({ query: "the sun", tier: "semantic", min_score: 0.3 });
      expect(found.entries.map(({ content, author }) => ({ content, author }))).toEqual([
        { content: { text: "Earth orbits the Sun" }, author: "alice" },
      ]);
      expect(await memory.recall("user_name")).toBe("Alice");
      await expect(memory.forget({ tags: ["identity"], dry_run: true })).rejects.toThrow(/dry_run/);
      expect(await memory.recall("user_name")).toBe("Alice");
      expect(await memory.forget({ tags: ["identity"] })).toMatchObject({ deleted: 1 });
      expect(await memory.recall("user_name")).toBeNull();
      await memory.close();
    });
  },
);
