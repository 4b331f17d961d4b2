import { posix } from "node:path";
import { parseScopeId, type Scope } from "@membus/protocol";
import { LinesStorage } from "./lines-storage.js";
import type { StorageMutant } from "./mutant.js";

/** A storage that confuses scopes with the same key. */
const keyed = (keyOf: (scope: Scope, id: string) => string) =>
  class extends LinesStorage {
    protected override keyOf(scope: string): string {
      return keyOf(parseScopeId(scope), scope);
    }

    /** The first scope id of each key. */
    readonly #firsts = new Map<string, string>();

    protected override rowsOf(scope: string) {
      const key = this.keyOf(scope);
      if (!this.#firsts.has(key)) this.#firsts.set(key, scope);
      return super.rowsOf(scope);
    }

    protected override filled() {
      return super.filled().map(([key, rows]): [string, typeof rows] => [this.#firsts.get(key)!, rows]);
    }
  };

/** A storage with the file names of `nameOf`. */
const filed = (nameOf: (id: string, scope: Scope) => string) =>
  class extends LinesStorage {
    protected override nameOf(scope: string): string {
      return nameOf(scope, parseScopeId(scope));
    }
  };

const joined = (sign: string) =>
  keyed(({ tenant, agent, namespace }) => [tenant, agent, namespace].join(sign));

/** A storage that removes rows from every scope that matches the named one. */
const removing = (isLike: (scope: string, named: string) => boolean) =>
  class extends LinesStorage {
    override async removeFrom(first: number, scopes: readonly string[]): Promise<void> {
      const meant = [...this.rows.keys()].filter((scope) => scopes.some((named) => isLike(scope, named)));
      await super.removeFrom(first, meant);
    }
  };

const namedLike = (isLike: (tenant: string, named: string) => boolean) =>
  class extends LinesStorage {
    override async scopes(tenant: string): Promise<readonly Scope[]> {
      return this.filled()
        .map(([scope]) => parseScopeId(scope))
        .filter((scope) => isLike(scope.tenant, tenant));
    }
  };

const literal = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
const sqlLike = (text: string, pattern: string) =>
  new RegExp(`^${literal(pattern).replaceAll("%", ".*").replaceAll("_", ".")}$`, "s").test(text);

class TenantsInAnObject extends LinesStorage {
  override async scopes(tenant: string): Promise<readonly Scope[]> {
    const byTenant: Record<string, Scope[]> = {};
    for (const [id] of this.filled()) {
      const scope = parseScopeId(id);
      byTenant[scope.tenant] ??= [];
      byTenant[scope.tenant]!.push?.(scope);
    }
    return byTenant[tenant] ?? [];
  }
}

class ListsTenantsInLowerCase extends LinesStorage {
  override tenants(): readonly string[] {
    return super.tenants().map((tenant) => tenant.toLowerCase());
  }
}

class OneScopeABatch extends LinesStorage {
  override async append(added: Parameters<LinesStorage["append"]>[0]): Promise<void> {
    await super.append(added.map(({ row }) => ({ scope: added[0]!.scope, row })));
  }
}

const OPEN_SCOPES = 256;

class OpensSoMany extends LinesStorage {
  protected override takeLine(line: Parameters<LinesStorage["takeLine"]>[0]): void {
    if (this.rows.has(line.scope) || this.rows.size < OPEN_SCOPES) super.takeLine(line);
  }
}

class RemovesOfOneScope extends LinesStorage {
  override async remove(gone: Parameters<LinesStorage["remove"]>[0]): Promise<void> {
    await super.remove(gone.filter(({ scope }) => scope === gone[0]!.scope));
  }
}

const RED = /ids of rows that load returns of scope/;

export const scopeMutants: readonly StorageMutant[] = [
  {
    name: "keys-in-lower-case",
    check: "scopes/letter-case",
    failure: RED,
    storage: keyed((_, id) => id.toLowerCase()),
  },
  {
    name: "file-names-in-lower-case",
    check: "scopes/letter-case",
    failure: /after reopening|after a purge/,
    storage: filed((id) => Buffer.from(id.toLowerCase()).toString("hex").slice(-200)),
  },
  {
    name: "tenants-in-any-case",
    check: "scopes/letter-case",
    failure: /scopes of tenant acme/,
    storage: namedLike((tenant, named) => tenant.localeCompare(named, "en", { sensitivity: "base" }) === 0),
  },
  {
    name: "lists-tenants-in-lower-case",
    check: "scopes/letter-case",
    failure: /tenants that `tenants` leaves out/,
    storage: ListsTenantsInLowerCase,
  },
  { name: "joined-by-underscores", check: "scopes/delimiters", failure: RED, storage: joined("_") },
  { name: "joined-by-colons", check: "scopes/delimiters", failure: RED, storage: joined(":") },
  { name: "joined-by-slashes", check: "scopes/delimiters", failure: RED, storage: joined("/") },
  {
    name: "joined-in-encoded-form",
    check: "scopes/delimiters",
    failure: RED,
    storage: keyed(({ tenant, agent, namespace }) =>
      decodeURIComponent(encodeURIComponent([tenant, agent, namespace].join("%2F"))),
    ),
  },
  {
    name: "keys-without-the-tier",
    check: "scopes/prefixes",
    failure: RED,
    storage: keyed(({ tenant, agent, namespace }) => JSON.stringify([tenant, agent ?? "alice", namespace])),
  },
  {
    name: "no-agent-is-null",
    check: "scopes/prefixes",
    failure: RED,
    storage: keyed(({ tenant, agent, namespace }) => JSON.stringify([tenant, `${agent ?? null}`, namespace])),
  },
  {
    name: "tenants-by-their-beginning",
    check: "scopes/prefixes",
    failure: /scopes of tenant acm/,
    storage: namedLike((tenant, named) => tenant.startsWith(named)),
  },
  {
    name: "namespaces-with-all-below",
    check: "scopes/prefixes",
    failure: RED,
    storage: removing((scope, named) => scope.startsWith(named.slice(0, -2))),
  },
  {
    name: "composed-keys",
    check: "scopes/unicode-forms",
    failure: RED,
    storage: keyed((_, id) => id.normalize("NFC")),
  },
  {
    name: "compatible-keys",
    check: "scopes/unicode-forms",
    failure: RED,
    storage: keyed((_, id) => id.normalize("NFKC")),
  },
  {
    name: "keys-in-ascii",
    check: "scopes/unicode-forms",
    failure: RED,
    storage: keyed((_, id) => id.replace(/[^ -~]/g, "?")),
  },
  { name: "removal-by-like", check: "scopes/patterns", failure: RED, storage: removing(sqlLike) },
  {
    name: "removal-by-expression",
    check: "scopes/patterns",
    failure: RED,
    storage: removing(
      (scope, named) =>
        scope === named || new RegExp(`^${named.replace(/[[\]\\?*()]/g, "\\$&")}$`).test(scope),
    ),
  },
  {
    name: "tenants-by-like",
    check: "scopes/patterns",
    failure: /scopes of tenant acm_/,
    storage: namedLike(sqlLike),
  },
  {
    name: "quotes-lost",
    check: "scopes/patterns",
    failure: RED,
    storage: keyed((_, id) => id.replaceAll("''", "'")),
  },
  {
    name: "keys-of-letters-and-digits",
    check: "scopes/file-names",
    failure: RED,
    storage: keyed((_, id) => id.replace(/[^a-zA-Z0-9",]/g, "-")),
  },
  {
    name: "keys-are-paths",
    check: "scopes/file-names",
    failure: RED,
    storage: keyed(({ tenant, agent, namespace }) => posix.join("/", tenant, agent!, "/", namespace)),
  },
  {
    name: "tenants-in-an-object",
    check: "scopes/file-names",
    failure: /scopes of tenant|push|sort|map/,
    storage: TenantsInAnObject,
  },
  {
    name: "file-names-as-they-are",
    check: "scopes/long-names",
    failure: /ENAMETOOLONG/,
    storage: filed((id) => encodeURIComponent(id)),
  },
  {
    name: "keys-of-255-characters",
    check: "scopes/long-names",
    failure: RED,
    storage: keyed((_, id) => id.slice(0, 255)),
  },
  {
    name: "keys-end-after-64-characters-of-each",
    check: "scopes/long-names",
    failure: RED,
    storage: keyed(({ tenant, agent, namespace }) =>
      JSON.stringify([tenant, agent, namespace].map((part) => part!.slice(0, 64))),
    ),
  },
  { name: "one-scope-a-batch", check: "scopes/many", failure: RED, storage: OneScopeABatch },
  { name: "removals-of-one-scope", check: "scopes/many", failure: RED, storage: RemovesOfOneScope },
  {
    name: "opens-256-scopes",
    check: "scopes/many",
    failure: /with 500 scopes after reopening/,
    storage: OpensSoMany,
  },
];
