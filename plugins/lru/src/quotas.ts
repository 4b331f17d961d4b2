import { integerOption, optionalOption, QuotaBook, type QuotasOf } from "@membus/protocol";

/** What somebody may hold in a tier in memory; what is absent is not bounded. */
export interface Quota {
  /** 1..1,000,000,000. */
  readonly entries?: number | undefined;
  /** Of RAM. 65,536..2^50. */
  readonly bytes?: number | undefined;
  /** Of all sessions together. 1..1,000,000,000. */
  readonly namespaces?: number | undefined;
  /** 1..1,000,000,000. */
  readonly sessions?: number | undefined;
}

export type Quotas = QuotasOf<Quota>;

const COUNT = optionalOption(integerOption(1, 1_000_000_000));
const RULES = {
  ...{ entries: COUNT, namespaces: COUNT, sessions: COUNT },
  bytes: optionalOption(integerOption(65_536, 2 ** 50)),
};

/** @throws {TypeError} naming what is unknown or out of range. */
export function quotaBook(quotas: Quotas = {}): QuotaBook<Quota> {
  return new QuotaBook<Quota>(quotas, { name: "quotas", rules: RULES, agent: {}, tenant: {} });
}
