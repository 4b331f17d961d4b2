import { parseScopeId } from "@membus/protocol";

const TENANT = /^[A-Za-z0-9_-]{1,64}$/;

export function tableNameOf(scope: string): string {
  return tableOf(parseScopeId(scope).tenant);
}

/**
 * The table that holds what a tenant has. Capitals are written `.a`, so that two tenants have two tables also on a
 * file system that does not tell `A` from `a`; the prefix keeps names from being special to one.
 *
 * @throws {TypeError} for a tenant that is no token.
 */
export function tableOf(tenant: string): string {
  if (!TENANT.test(tenant)) throw new TypeError(`not a tenant: ${JSON.stringify(tenant)}`);
  return `t_${tenant.replace(/[A-Z]/g, (capital) => `.${capital.toLowerCase()}`)}`;
}

/** The tenant whose table it is. */
export function tenantOf(name: string): string {
  return name.slice("t_".length).replace(/\.([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Items by the table of their scope. */
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
