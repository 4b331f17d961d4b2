import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { KitPlugin } from "@membus/plugin-kit";
import { systemClock } from "@membus/protocol";
import { expect, it, onTestFinished } from "vitest";
import { calls } from "../../kit/test/kit-calls.js";
import { openFolder, segmentsOf } from "./folder-fixture.js";

it("an open tier is verified with its tables and its log", async () => {
  const directory = await mkdtemp(join(tmpdir(), "membus-test-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const plugin = (await openFolder(directory)) as KitPlugin;
  onTestFinished(() => plugin.close());
  const { store, forget } = calls({ plugin, clock: systemClock }, { tenant: "acme" });
  for (let number = 0; number < 20; number++) await store([{ key: `k${number}`, content: "x".repeat(100) }]);
  await forget({ keys: ["k3"] });
  const parts = [{ name: "t_acme", rows: 19 }];
  expect(await plugin.verifyOpen()).toMatchObject({ parts, problems: [], orphans: [] });

  const segment = join(directory, "log", (await segmentsOf(directory))[0]!);
  const bytes = await readFile(segment);
  bytes[bytes.indexOf("xxxx")]! ^= 1;
  await writeFile(segment, bytes);
  const { problems } = (await plugin.verifyOpen())!;
  expect(problems).toEqual([expect.stringMatching(/^record 1 of the log cannot be read: /)]);
});
