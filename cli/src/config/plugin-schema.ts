import { z } from "zod";

/** `plugins.<tier>` in `membus.yaml`: what `loadPlugin` loads, or nothing. */
export const PluginSchema = z.union(
  [
    z.literal("none"),
    z.strictObject({
      module: z.string().min(1),
      options: z.record(z.string(), z.unknown()).optional(),
    }),
  ],
  { error: "write `{ module: ./my-plugin.js, options: {...} }`, or `none`" },
);
