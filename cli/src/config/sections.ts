import { FileLogOptionsSchema } from "@membus/disk";
import { HostOptionsSchema } from "@membus/host";
import { KitOptionsSchema } from "@membus/plugin-kit";
import { LanceStorageOptionsSchema } from "@membus/plugin-lancedb";
import { LruOptionsSchema } from "@membus/plugin-lru";
import { type OptionsOf, optionSet } from "@membus/protocol";

/**
 * Options of packages, by section of `membus.yaml`, without the options that have a setting elsewhere. This
 * module loads LanceDB, so commands without a host must not import it.
 */
export const SECTIONS = Object.freeze({
  host: optionSet(HostOptionsSchema.omit({ prefix: true, tenants: true, rules: true, rates: true }).shape),
  lru: LruOptionsSchema,
  kit: KitOptionsSchema,
  log: optionSet(FileLogOptionsSchema.omit({ durability: true, nextSeqMin: true, repair: true }).shape),
  storage: LanceStorageOptionsSchema,
});

export type SectionName = keyof typeof SECTIONS;
export type SectionOptions = { readonly [K in SectionName]: OptionsOf<(typeof SECTIONS)[K]> };
