import { z } from "zod";

/**
 * Returns a schema for a string of at most `max` UTF-16 code units (clause LIMIT-5). zod and JSON Schema
 * count code points.
 */
export function boundedString(max: number): z.ZodString {
  return z
    .string()
    .max(max)
    .check(({ value, issues }) => {
      if (value.length <= max) return;
      issues.push({ code: "too_big", origin: "string", maximum: max, inclusive: true, input: value });
    });
}

/** A number from 0 to 1, both included. */
export const FractionSchema = z.number().min(0).max(1);
