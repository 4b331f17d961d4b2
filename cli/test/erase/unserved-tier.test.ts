import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { controlPath } from "../../src/control/control-messages.js";
import { type ControlServer, startControlServer } from "../../src/control/control-server.js";
import { refuseUnserved } from "../../src/erase/erase-tiers.js";
import { eraseCommand, eraseOnServingHost } from "../../src/erase/serving-host.js";

const data = mkdtempSync(join(tmpdir(), "membus-erase-"));
const [episodic, semantic] = [join(data, "episodic"), join(data, "semantic")];
let server: ControlServer;
beforeAll(async () => {
  for (const folder of [episodic, semantic]) mkdirSync(folder);
  const composed = { plugins: {}, dataDirectories: { episodic } };
  server = await startControlServer(controlPath(data), { erase: eraseCommand(composed, data) });
});
afterAll(async () => {
  await server.close();
  rmSync(data, { recursive: true });
});

it("an erasure is refused if a tier folder is not served, because its entries would stay", async () => {
  const refusal = {
    code: "unsupported",
    message: expect.stringContaining(`nothing was erased, because no configured plugin serves ${semantic}`),
  };
  await expect(eraseOnServingHost({ tenant: "acme" }, { data, dryRun: false })).rejects.toMatchObject(
    refusal,
  );
  await expect(refuseUnserved(data, { dataDirectories: { episodic } })).rejects.toMatchObject(refusal);
  await refuseUnserved(data, { dataDirectories: { episodic, semantic } });
});
