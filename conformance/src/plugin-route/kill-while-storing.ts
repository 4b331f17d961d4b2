import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { MemoryTier } from "@membus/protocol";
import { ExpectationError } from "../expect.js";
import type { EntryInput } from "../memory-agent.js";
import type { PluginSubject } from "./plugin-subject.js";

const CHILD = fileURLToPath(
  new URL(`./store-forever${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url),
);

/** What the child stores as its entry number `number`; the parent knows it by that. */
export function killEntry(number: number, tier: MemoryTier): EntryInput {
  return { key: { stored: number }, content: { number, text: `entry number ${number}` }, tier };
}

/**
 * A child process opens the plugin on `directory` and stores one entry after another, several at once; when `count`
 * are acknowledged it is killed. Gives those, and waits for its end.
 */
export async function killWhileStoring(
  subject: PluginSubject,
  directory: string,
  tier: MemoryTier,
  count: number,
): Promise<readonly EntryInput[]> {
  const embedder = subject.embedder === null ? "none" : "words";
  const args = [...(subject.nodeArguments ?? []), CHILD, subject.module!, directory, tier, embedder];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  const ended = once(child, "exit");
  let complaint = "";
  child.stderr.on("data", (chunk: Buffer) => {
    complaint = (complaint + chunk.toString()).slice(-2_000);
  });
  const acknowledged: EntryInput[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged.push(killEntry(Number(line), tier));
    if (acknowledged.length === count) child.kill("SIGKILL");
  }
  await ended;
  if (acknowledged.length >= count) return acknowledged;
  const what = "a process that stores with the plugin";
  throw new ExpectationError({
    what,
    expected: `${count} acknowledged entries`,
    got: `${acknowledged.length}; it said: ${complaint}`,
  });
}
