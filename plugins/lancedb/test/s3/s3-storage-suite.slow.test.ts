import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { registerStorageSuite } from "@membus/plugin-kit/storage-suite";
import { afterAll, describe, it } from "vitest";
import { FakeS3 } from "./fake-s3.js";
import { connect, createStorage, ENDPOINT, suiteObjects } from "./served-s3-storage.js";

const s3 = await FakeS3.start(suiteObjects());
const endpoint = s3.storageOptions.endpoint!;
await connect(endpoint);
// Inherited by the processes of the suite.
process.env[ENDPOINT] = endpoint;

afterAll(async () => {
  delete process.env[ENDPOINT];
  await s3.stop();
  rmSync(join(tmpdir(), "_check"), { recursive: true, force: true });
});

const module = new URL("./served-s3-storage.ts", import.meta.url).href;
const nodeArguments = ["--conditions=membus-source", "--import", "tsx"];

registerStorageSuite(
  { describe, it },
  { name: "lancedb in an object store", createStorage, module, nodeArguments },
  // The storage may be slow on a loaded machine.
  { checkTimeoutMs: 600_000 },
);
