import {
  type OptionsOf,
  option,
  optionSet,
  parseOptions,
  type QuotaOptions,
  QuotaTable,
  quotaOptions,
} from "@membus/protocol";

const count = option.integer(1, 1_000_000_000).optional();
const QuotaSchema = optionSet({
  entries: count,
  /** Bytes of memory. */
  bytes: option.integer(65_536, 2 ** 50).optional(),
  /** Namespaces of all sessions together. */
  namespaces: count,
  sessions: count,
});
const QuotasSchema = quotaOptions(QuotaSchema);

/** Quota of an agent or tenant in a memory tier. An absent field is unlimited. */
export interface Quota extends OptionsOf<typeof QuotaSchema> {}
export type Quotas = QuotaOptions<Quota>;

/** @throws {TypeError} for an unknown field or a value out of range. The message starts with its path. */
export function quotaTable(quotas: Quotas = {}): QuotaTable<Quota> {
  return new QuotaTable<Quota>(parseOptions(QuotasSchema, quotas, ["quotas"]), { agent: {}, tenant: {} });
}
