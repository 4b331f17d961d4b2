import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { registerStorageSuite } from "@membus/plugin-kit/storage-suite";
import { silentLogger, systemClock } from "@membus/protocol";
import { describe, expect, it } from "vitest";
import { createStorage } from "../templates/kit/src/file-storage.js";
import { createPlugin } from "../templates/kit/src/plugin.js";

const module = new URL("../templates/kit/src/file-storage.ts", import.meta.url).href;
const nodeArguments = ["--conditions=membus-source", "--import", "tsx"];

registerStorageSuite({ describe, it }, { name: "scaffold", createStorage, module, nodeArguments });

describe("the folder of the scaffold's plugin", () => {
  it("is unlocked after its last owner was killed, even if the owner had the same process id, as in a container", async () => {
    const dataDirectory = await mkdtemp(join(tmpdir(), "membus-scaffold-"));
    await mkdir(join(dataDirectory, "lock"));
    const startedAt = "2020-01-01T00:00:00.000Z";
    const former = { pid: process.pid, host: hostname(), boot: "", startedAt, hasSocket: true };
    await writeFile(join(dataDirectory, "lock", "dead0000.json"), JSON.stringify(former));
    const services = { clock: systemClock, logger: silentLogger, dataDirectory, notify() {} };
    const [plugin, second] = [createPlugin(), createPlugin()];
    try {
      await plugin.open?.({ ...services, tier: "episodic" });
      const refused = second.open?.({ ...services, tier: "episodic" });
      await expect(refused).rejects.toMatchObject({ code: "conflict", detail: { pid: process.pid } });
    } finally {
      await plugin.close?.();
      await rm(dataDirectory, { recursive: true, force: true });
    }
  });
});
