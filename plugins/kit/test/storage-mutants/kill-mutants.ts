import { rename, rm, writeFile } from "node:fs/promises";
import { killSelfAt } from "./kill-self.js";
import { LinesStorage, withFile } from "./lines-storage.js";
import type { StorageMutant } from "./mutant.js";

/**
 * Visit of a defective point at which the writer kills itself. A round has one visit for each of its three
 * scopes, so this is the first visit of the second round.
 */
const SECOND_ROUND = 4;
/** Row of the second round. A round appends 96 rows. */
const ROW_OF_SECOND_ROUND = 100;

type Lines = Parameters<LinesStorage["write"]>[1];

/** Acknowledges writes, and writes them at close. */
class WritesLater extends LinesStorage {
  readonly #waiting: [string, Lines][] = [];

  protected override async write(scope: string, lines: Lines): Promise<void> {
    this.#waiting.push([scope, lines]);
  }

  override async sync(): Promise<void> {}

  override async maintain(): Promise<boolean> {
    return true;
  }

  override async close(): Promise<void> {
    for (const [scope, lines] of this.#waiting.splice(0)) await super.write(scope, lines);
  }
}

/** Writes removals at close. */
class RemovesLater extends LinesStorage {
  readonly #waiting: [string, Lines][] = [];

  protected override async write(scope: string, lines: Lines): Promise<void> {
    if (lines.every((line) => "gone" in line)) this.#waiting.push([scope, lines]);
    else await super.write(scope, lines);
  }

  override async maintain(): Promise<boolean> {
    return true;
  }

  override async close(): Promise<void> {
    for (const [scope, lines] of this.#waiting.splice(0)) await super.write(scope, lines);
  }
}

const PIECES = 4;

/** Empties the file, then writes it. The writer kills itself at the visit `killedAt` of the empty file. */
const rewritesInPlace = (killedAt: number) =>
  class extends LinesStorage {
    protected override async rewrite(scope: string): Promise<void> {
      this.spoilt.delete(scope);
      const rows = [...this.rowsOf(scope).values()];
      const lines = rows.map((row) => `${JSON.stringify({ scope, row: this.encode(row) })}\n`);
      await withFile(this.pathOf(scope), "w", async (file) => {
        for (let at = 0; at < PIECES; at++) {
          await file.sync();
          if (at === 0) killSelfAt(killedAt);
          await file.writeFile(lines.filter((_, index) => index % PIECES === at).join(""));
        }
        await file.sync();
      });
    }
  };

class RemovesByRewriting extends rewritesInPlace(SECOND_ROUND) {
  protected override async removeIds(scope: string, ids: readonly number[]): Promise<void> {
    for (const rowId of ids) this.drop(scope, rowId);
    await this.inTurn(() => this.rewrite(scope));
  }
}

/** Rewrites in each step, so that a round has nine visits. */
class AppendsByRewriting extends rewritesInPlace(10) {
  protected override async write(scope: string, lines: Lines): Promise<void> {
    await super.write(scope, lines);
    await this.rewrite(scope);
    await super.write(scope, lines);
  }
}

/** Removes the file before the new one gets its name. */
class ReplacesByRemoving extends LinesStorage {
  protected override async rewrite(scope: string): Promise<void> {
    this.spoilt.delete(scope);
    const path = this.pathOf(scope);
    const rows = [...this.rowsOf(scope).values()];
    const text = rows.map((row) => `${JSON.stringify({ scope, row: this.encode(row) })}\n`).join("");
    await rename(path, `${path}.old`);
    killSelfAt(SECOND_ROUND);
    await withFile(`${path}.new`, "w", async (file) => {
      await file.writeFile(text);
      await file.sync();
    });
    await rename(`${path}.new`, path);
    await rm(`${path}.old`);
  }
}

/** Writes an append to a separate file, which the next open accepts unchecked. */
class TrustsCounts extends LinesStorage {
  protected override async write(scope: string, lines: Lines): Promise<void> {
    for (const line of lines) {
      await writeFile(`${this.pathOf(scope)}.count.jsonl`, "");
      if ("row" in line) killSelfAt(ROW_OF_SECOND_ROUND);
      await super.write(scope, [line]);
      await rm(`${this.pathOf(scope)}.count.jsonl`);
    }
  }

  protected override async openFile(path: string): Promise<void> {
    if (path.endsWith(".count.jsonl")) throw new Error("another process writes here");
    await super.openFile(path);
  }
}

class TrustsLines extends LinesStorage {
  protected override wholeLines(text: string): string {
    return text;
  }
}

/** Keeps an incomplete line, and appends the next one to it. */
class GoesOnInTornLine extends LinesStorage {
  protected override wholeLines(text: string): string {
    return text
      .split("\n")
      .map((line) => (isJson(line) ? line : " ".repeat(Buffer.byteLength(line))))
      .join("\n");
  }
}

class ReadsPieces extends LinesStorage {
  protected override wholeLines(text: string): string {
    const whole = super.wholeLines(text);
    const rest = text.slice(whole.length);
    const scope = /^\{"scope":"((?:[^"\\]|\\.)*)"/.exec(rest)?.[0];
    return scope === undefined ? whole : `${whole}${scope},"gone":[0]}\n`;
  }
}

class DropsTornFiles extends LinesStorage {
  protected override wholeLines(text: string): string {
    return text.endsWith("\n") || text === "" ? text : "";
  }
}

function isJson(line: string): boolean {
  try {
    return JSON.parse(line) !== undefined;
  } catch {
    return false;
  }
}

export const killMutants: readonly StorageMutant[] = [
  {
    name: "writes-later",
    check: "kill/append",
    failure: /acknowledged rows .* missing/s,
    storage: WritesLater,
  },
  {
    name: "appends-by-rewriting",
    check: "kill/append",
    failure: /acknowledged rows .* missing/s,
    storage: AppendsByRewriting,
  },
  {
    name: "refuses-what-was-begun",
    check: "kill/append",
    failure: /another process writes here/,
    storage: TrustsCounts,
  },
  {
    name: "removals-later",
    check: "kill/remove",
    failure: /acknowledged rows .* unexpected/s,
    storage: RemovesLater,
  },
  {
    name: "removals-written-later",
    check: "kill/remove",
    failure: /acknowledged rows /,
    storage: WritesLater,
  },
  {
    name: "removes-by-rewriting",
    check: "kill/remove",
    failure: /acknowledged rows .* missing/s,
    storage: RemovesByRewriting,
  },
  {
    name: "purges-in-place",
    check: "kill/purge",
    failure: /acknowledged rows .* missing/s,
    storage: rewritesInPlace(SECOND_ROUND),
  },
  {
    name: "replaces-by-removing",
    check: "kill/purge",
    failure: /acknowledged rows .* missing/s,
    storage: ReplacesByRemoving,
  },
  { name: "trusts-lines", check: "kill/torn-tail", failure: /JSON/, storage: TrustsLines },
  {
    name: "goes-on-in-torn-line",
    check: "kill/torn-tail",
    failure: /JSON|is appended again and reopening/,
    storage: GoesOnInTornLine,
  },
  {
    name: "reads-pieces",
    check: "kill/torn-tail",
    failure: /acknowledged rows .* 1 missing/s,
    storage: ReadsPieces,
  },
  {
    name: "drops-torn-files",
    check: "kill/torn-tail",
    failure: /acknowledged rows .* 5 missing/s,
    storage: DropsTornFiles,
  },
];
