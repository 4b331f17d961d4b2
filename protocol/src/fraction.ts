import { z } from "zod";

/** 0 to 1, both included. */
export const FractionSchema = z.number().min(0).max(1);
