import { integerOption, optionalOption, type QuotaOptions, QuotaTable } from "@membus/protocol";

/** Quota of an agent or tenant in a memory tier. An absent field is unlimited. */
export interface Quota {
  /** 1..1,000,000,000. */
  readonly entries?: number | undefined;
  /** Bytes of memory, 65,536..2^50. */
  readonly bytes?: number | undefined;
  /** Namespaces of all sessions together, 1..1,000,000,000. */
  readonly namespaces?: number | undefined;
  /** 1..1,000,000,000. */
  readonly sessions?: number | undefined;
}

export type Quotas = QuotaOptions<Quota>;

const COUNT = optionalOption(integerOption(1, 1_000_000_000));
const RULES = {
  ...{ entries: COUNT, namespaces: COUNT, sessions: COUNT },
  bytes: optionalOption(integerOption(65_536, 2 ** 50)),
};

/** @throws {TypeError} Naming the unknown field or the value that is out of range. */
export function quotaBook(quotas: Quotas = {}): QuotaTable<Quota> {
  return new QuotaTable<Quota>(quotas, { name: "quotas", rules: RULES, agent: {}, tenant: {} });
}
