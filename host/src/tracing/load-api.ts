import type * as Api from "@opentelemetry/api";

/** Loads the optional peer dependency. Returns undefined if it is not installed. */
export async function loadApi(): Promise<typeof Api | undefined> {
  try {
    return await import("@opentelemetry/api");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}
