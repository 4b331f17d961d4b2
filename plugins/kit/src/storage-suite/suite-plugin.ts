import { createHash } from "node:crypto";
import { join } from "node:path";
import {
  compileCriteria,
  keyHash,
  normaliseKey,
  type Scope,
  silentLogger,
  systemClock,
} from "@membus/protocol";
import { KitPlugin } from "../kit-plugin.js";
import type { StorageUnderTest } from "./storage-under-test.js";

const SCOPE: Scope = { tier: "episodic", tenant: "acme", agent: "alice", namespace: "default" };

/** Opens a kit plugin over the storage, which locks the directory or fails. */
export async function openPlugin(
  createStorage: StorageUnderTest["createStorage"],
  directory: string,
): Promise<KitPlugin> {
  const plugin = new KitPlugin({ name: "storage-suite", version: "0.1.0", storage: createStorage });
  const services = { clock: systemClock, logger: silentLogger, notify() {} };
  await plugin.open({ ...services, tier: "episodic", dataDirectory: join(directory, "tier") });
  return plugin;
}

/** Stores an entry with the same key and content. */
export async function storeEntry(plugin: KitPlugin, text: string): Promise<void> {
  const key = normaliseKey(text);
  const digest = createHash("sha256").update(text).digest("hex");
  const op = { tenant: "acme", agent: "alice", id: text, digest, accepted_at: systemClock.now() };
  const item = { index: 0, key, key_hash: keyHash(key), content: text, ttl: null, expires_at: null };
  await plugin.onStore(SCOPE, { op, ack: "stored", entries: [item] });
}

/** Returns the contents of all stored entries, sorted. */
export async function storedTexts(plugin: KitPlugin): Promise<string[]> {
  const { entries } = await plugin.onRetrieve(
    { ...SCOPE, subtree: false },
    {
      ...{ filter: compileCriteria({}), order: "newest", limit: 100, max_bytes: 2 ** 20, min_score: 0 },
      ...{ mode: "text", include: [], as_of: systemClock.now() },
    },
  );
  return entries.map(({ content }) => String(content)).sort();
}
