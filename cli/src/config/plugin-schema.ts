import { z } from "zod";

/** `plugins.<tier>` in `membus.yaml`: a module for `loadPlugin`, or `none`. */
export const PluginSchema = z.union(
  [
    z.literal("none"),
    z.strictObject({
      module: z.string().min(1),
      options: z.record(z.string(), z.unknown()).optional(),
    }),
  ],
  { error: "must be `{ module: ./my-plugin.js, options: {...} }` or `none`" },
);
