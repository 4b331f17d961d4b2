import { parseScopeId } from "@membus/protocol";

const TENANT = /^[A-Za-z0-9_-]{1,64}$/;

export function tableNameOf(scope: string): string {
  return tableOf(parseScopeId(scope).tenant);
}

/**
 * Returns the table name of a tenant. Capitals are written as `.a`, so that two tenants have different tables
 * on a case-insensitive file system. The prefix avoids special file names.
 * @throws {TypeError} For a tenant that is not a token.
 */
export function tableOf(tenant: string): string {
  if (!TENANT.test(tenant)) throw new TypeError(`not a tenant name: ${JSON.stringify(tenant)}`);
  return `t_${tenant.replace(/[A-Z]/g, (capital) => `.${capital.toLowerCase()}`)}`;
}

/** Returns the tenant of a table. */
export function tenantOf(name: string): string {
  return name.slice("t_".length).replace(/\.([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Groups items by the table of their scope. */
export function groupByTable<T extends { readonly scope: string }>(items: readonly T[]): Map<string, T[]> {
  const names = new Map<string, string>();
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const name = names.get(item.scope) ?? tableNameOf(item.scope);
    names.set(item.scope, name);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [item]);
    else group.push(item);
  }
  return groups;
}
