import { cpSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ChaosStage } from "./chaos-stage.js";
import { Chance } from "./kill-loop/chance.js";
import { Findings } from "./kill-loop/findings.js";
import { KillLoop } from "./kill-loop/kill-loop.js";
import { listEntries } from "./kill-loop/list-entries.js";
import { damageInside, logFiles } from "./log-damage.js";

/**
 * Takes more than a minute, because the host is restarted and all entries are verified after each kill.
 * `npm run soak` runs longer, with other seeds.
 */
const KILLS = 20;
const NOTHING = { lost: [], doubled: [], back: [] };

let stage: ChaosStage;
let findings: Findings;
let loop: KillLoop;

beforeEach(async () => {
  stage = await ChaosStage.open();
  await stage.startHost();
  findings = new Findings();
  loop = await KillLoop.open(stage, {
    chance: new Chance(1),
    findings,
    roundsPerRelevance: 1,
  });
});

afterEach(() => stage.close());

/**
 * Copies a data folder without sockets, which cannot be copied: the socket of the host, and of a host killed
 * before it had the lock.
 */
function copyData(from: string, to: string): void {
  cpSync(from, to, { recursive: true, filter: (path) => !/^(lock(\.|$)|control$)/.test(basename(path)) });
}

/** Kills under load until the log has several files. After a few stores it has only one. */
async function killWithLongLog(): Promise<void> {
  await loop.killUnderLoad();
  while (logFiles(join(stage.data, "episodic", "log")).length <= 2) {
    await stage.startHost();
    await loop.killUnderLoad();
  }
}

describe("a host that is killed under load", () => {
  it("has every acknowledged entry exactly once, unchanged, with the same relevance, and no forgotten entry", async () => {
    await loop.run(KILLS);
    expect(findings.breaches).toEqual(NOTHING);
    expect(findings.kills).toBe(KILLS);
    expect(findings.acknowledged).toBeGreaterThanOrEqual(20 * 20);
    expect(findings.presences).toBeGreaterThan(0);
    expect(findings.absences).toBeGreaterThan(0);
  });

  it("is detected when its folder is replaced by an older copy", async () => {
    await loop.run(1);
    await stage.killHost();
    const earlier = join(stage.directory, "earlier");
    copyData(stage.data, earlier);
    await stage.startHost();
    await loop.killUnderLoad();
    rmSync(stage.data, { recursive: true });
    copyData(earlier, stage.data);
    await stage.startHost();
    await loop.verify({ isRelevanceDue: false });
    expect(findings.breaches.lost).not.toEqual([]);
    expect(findings.breaches.back).not.toEqual([]);
  });

  it("refuses a log with damage inside, names file and offset, and repairs it with --repair", async () => {
    await killWithLongLog();
    const copy = join(stage.directory, "copy");
    copyData(stage.data, copy);
    const { path, offset } = damageInside(join(copy, "episodic", "log"));

    const { code, stderr } = await stage.refusedHost({ data: copy });
    expect(code).toBe(1);
    const named = /the log is corrupt: (.+), byte (\d+), record \d+: /.exec(stderr);
    expect(named?.[1]).toBe(path);
    expect(Number(named?.[2])).toBeLessThanOrEqual(offset);

    await stage.startHost({ data: copy, args: ["--repair"] });
    for (const { memory, tier } of loop.partitions) await listEntries(memory, tier);
    await stage.killHost();
    await stage.startHost();
    await loop.verify();
    expect(findings.breaches).toEqual(NOTHING);
  });
});
