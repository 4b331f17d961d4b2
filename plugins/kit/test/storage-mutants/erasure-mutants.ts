import { copyFile, readFile, rename, rm, writeFile } from "node:fs/promises";
import { killSelfAt } from "./kill-self.js";
import { LinesStorage } from "./lines-storage.js";
import type { StorageMutant } from "./mutant.js";

class MarksOnly extends LinesStorage {
  protected override async rewrite(): Promise<void> {}
}

class KeepsFormer extends LinesStorage {
  protected override async rewrite(scope: string): Promise<void> {
    await copyFile(this.pathOf(scope), `${this.pathOf(scope)}.old`);
    await super.rewrite(scope);
  }
}

class KeepsVectors extends LinesStorage {
  protected override async write(...args: Parameters<LinesStorage["write"]>): Promise<void> {
    await super.write(...args);
    const vectors = args[1].flatMap((line) => ("row" in line ? [this.decode(line.row).vector ?? []] : []));
    const index = vectors.map((vector) => Buffer.from(Float32Array.from(vector).buffer));
    const path = `${this.pathOf(args[0])}.vectors`;
    await writeFile(path, Buffer.concat([await readFile(path).catch(() => Buffer.alloc(0)), ...index]));
  }
}

class NeverDone extends LinesStorage {
  override async maintain(options: { readonly purge: boolean }): Promise<boolean> {
    await super.maintain(options);
    return false;
  }
}

class PurgesUpToHalf extends LinesStorage {
  protected override async rewrite(scope: string): Promise<void> {
    if (this.rowsOf(scope).size < 10) await super.rewrite(scope);
  }
}

class ForgetsWhatIsSpoilt extends LinesStorage {
  override async open(): Promise<void> {
    await super.open();
    this.spoilt.clear();
  }
}

class TakesBackUnseen extends LinesStorage {
  override async removeFrom(...args: Parameters<LinesStorage["removeFrom"]>): Promise<void> {
    const spoilt = [...this.spoilt];
    await super.removeFrom(...args);
    this.spoilt.clear();
    for (const scope of spoilt) this.spoilt.add(scope);
  }
}

class PurgesAllTenantsAlone extends LinesStorage {
  override async maintain(options: { readonly purge: boolean; readonly tenant?: string }): Promise<boolean> {
    return options.tenant === undefined ? super.maintain(options) : true;
  }
}

class FirstTenantAlone extends LinesStorage {
  override async maintain(options: { readonly purge: boolean; readonly tenant?: string }): Promise<boolean> {
    const [first] = this.spoilt;
    if (options.tenant !== undefined && first !== undefined) await this.rewrite(first);
    return options.tenant === undefined ? super.maintain(options) : true;
  }
}

class NamesFilesByScope extends LinesStorage {
  protected override nameOf(scope: string): string {
    return encodeURIComponent(scope);
  }

  protected override async rewrite(scope: string): Promise<void> {
    await super.rewrite(scope);
    if (this.rowsOf(scope).size === 0) await writeFile(this.pathOf(scope), "");
  }
}

class KeepsEmptyScopes extends LinesStorage {
  protected override async rewrite(scope: string): Promise<void> {
    await super.rewrite(scope);
    if (this.rowsOf(scope).size === 0) await this.write(scope, [{ scope, gone: [] }]);
  }
}

/** First append of the second round. A round appends to three scopes. */
const SECOND_ROUND = 4;

/** Never removes the drafts of killed processes. */
class LeavesDrafts extends LinesStorage {
  protected override async write(scope: string, lines: Parameters<LinesStorage["write"]>[1]): Promise<void> {
    const path = this.pathOf(scope);
    const former = await readFile(path, "utf8").catch(() => "");
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    const draft = `${path}.${process.pid}.draft`;
    await writeFile(draft, former + text);
    if ("row" in lines[0]!) killSelfAt(SECOND_ROUND);
    await rename(draft, path);
    this.unsynced.add(scope);
  }

  protected override async openFile(path: string): Promise<void> {
    if (!path.endsWith(".draft")) await super.openFile(path);
  }

  protected override async rewrite(scope: string): Promise<void> {
    await super.rewrite(scope);
    await rm(`${this.pathOf(scope)}.${process.pid}.draft`, { force: true });
  }
}

export const erasureMutants: readonly StorageMutant[] = [
  {
    name: "marks-only",
    check: "erasure/removed-rows",
    failure: /files that contain removed values.*a content/s,
    storage: MarksOnly,
  },
  {
    name: "keeps-former",
    check: "erasure/removed-rows",
    failure: /files that contain removed values.*\.old/s,
    storage: KeepsFormer,
  },
  {
    name: "keeps-vectors",
    check: "erasure/removed-rows",
    failure: /files that contain removed values.*a vector/s,
    storage: KeepsVectors,
  },
  {
    name: "never-done",
    check: "erasure/removed-rows",
    failure: /whether a purge eventually reports completion/,
    storage: NeverDone,
  },
  {
    name: "purges-small-files",
    check: "erasure/removed-rows",
    failure: /files that contain removed values/,
    storage: PurgesUpToHalf,
  },
  {
    name: "forgets-what-is-spoilt",
    check: "erasure/removed-before-reopening",
    failure: /files that contain removed values/,
    storage: ForgetsWhatIsSpoilt,
  },
  {
    name: "takes-back-unseen",
    check: "erasure/taken-back",
    failure: /files that contain removed values/,
    storage: TakesBackUnseen,
  },
  {
    name: "purges-all-alone",
    check: "erasure/of-a-tenant",
    failure: /files that contain removed values/,
    storage: PurgesAllTenantsAlone,
  },
  {
    name: "purges-the-first-alone",
    check: "erasure/of-a-tenant",
    failure: /files that contain removed values/,
    storage: FirstTenantAlone,
  },
  {
    name: "files-named-by-scope",
    check: "erasure/names-of-scopes",
    failure: /a namespace/,
    storage: NamesFilesByScope,
  },
  {
    name: "keeps-empty-scopes",
    check: "erasure/names-of-scopes",
    failure: /a namespace/,
    storage: KeepsEmptyScopes,
  },
  {
    name: "leaves-drafts",
    check: "erasure/after-a-kill",
    failure: /files that contain removed values.*\.draft/s,
    storage: LeavesDrafts,
  },
];
