/**
 * Returns the fields that are not undefined, so that unset flags do not hide settings of lower precedence.
 */
export function definedOnly<T extends object>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>;
  };
}
