import { rename, rm, writeFile } from "node:fs/promises";
import { LinesStorage, withFile } from "./lines-storage.js";
import type { StorageMutant } from "./mutant.js";

/**
 * Number of kills. A check ends with the first kill that finds the defect, so this many kills practically
 * always find it.
 */
const KILLS = 60;

type Lines = Parameters<LinesStorage["write"]>[1];

/** Acknowledges before the write. */
class WritesLater extends LinesStorage {
  #waiting: [string, Lines][] = [];
  #timer: NodeJS.Timeout | undefined;

  protected override async write(scope: string, lines: Lines): Promise<void> {
    this.#waiting.push([scope, lines]);
    this.#timer ??= setTimeout(() => void this.flush(), 200);
  }

  protected async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const [scope, lines] of waiting) await super.write(scope, lines);
  }

  override async sync(): Promise<void> {}

  override async close(): Promise<void> {
    await this.flush();
  }
}

/** Writes removals with the next append, or at close. */
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

/** Empties the file, then writes it. */
const rewritesInPlace = (pieces: number) =>
  class extends LinesStorage {
    protected override async rewrite(scope: string): Promise<void> {
      this.spoilt.delete(scope);
      const rows = [...this.rowsOf(scope).values()];
      const lines = rows.map((row) => `${JSON.stringify({ scope, row: this.encode(row) })}\n`);
      await withFile(this.pathOf(scope), "w", async (file) => {
        for (let at = 0; at < pieces; at++) {
          await file.sync();
          await file.writeFile(lines.filter((_, index) => index % pieces === at).join(""));
        }
        await file.sync();
      });
    }
  };

class RemovesByRewriting extends rewritesInPlace(4) {
  protected override async removeIds(scope: string, ids: readonly number[]): Promise<void> {
    for (const rowId of ids) this.drop(scope, rowId);
    await this.inTurn(() => this.rewrite(scope));
  }
}

class AppendsByRewriting extends rewritesInPlace(4) {
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
    killCount: KILLS,
    storage: WritesLater,
  },
  {
    name: "appends-by-rewriting",
    check: "kill/append",
    failure: /acknowledged rows .* missing/s,
    killCount: KILLS,
    storage: AppendsByRewriting,
  },
  {
    name: "refuses-what-was-begun",
    check: "kill/append",
    failure: /another process writes here/,
    killCount: KILLS,
    storage: TrustsCounts,
  },
  {
    name: "removals-later",
    check: "kill/remove",
    failure: /acknowledged rows .* unexpected/s,
    killCount: KILLS,
    storage: RemovesLater,
  },
  {
    name: "removals-written-later",
    check: "kill/remove",
    failure: /acknowledged rows /,
    killCount: KILLS,
    storage: WritesLater,
  },
  {
    name: "removes-by-rewriting",
    check: "kill/remove",
    failure: /acknowledged rows .* missing/s,
    killCount: KILLS,
    storage: RemovesByRewriting,
  },
  {
    name: "purges-in-place",
    check: "kill/purge",
    failure: /acknowledged rows .* missing/s,
    killCount: KILLS,
    storage: rewritesInPlace(4),
  },
  {
    name: "replaces-by-removing",
    check: "kill/purge",
    failure: /acknowledged rows .* missing/s,
    killCount: KILLS,
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
