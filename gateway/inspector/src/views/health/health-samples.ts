import type { Health } from "@membus/gateway/inspector-api";
/** Interval of samples in milliseconds. They are kept for five minutes. */
export const SAMPLE_MS = 2_000;
const SAMPLES_MAX = 150;

/** Adds a sample and drops samples older than five minutes. A sample that was received twice counts once. */
export function addSample(samples: readonly Health[], latest: Health): readonly Health[] {
  if (samples.at(-1)?.at === latest.at) return samples;
  return [...samples, latest].slice(-SAMPLES_MAX);
}

/** Rates of one operation between two samples. */
export interface OperationRate {
  readonly name: string;
  readonly requestsPerS: number;
  readonly errorsPerS: number;
  /** Null without requests. */
  readonly meanMs: number | null;
}

/** Returns no rates for the first sample of a host, or after its counters were reset. */
export function ratesBetween(before: Health | undefined, now: Health, id: string): OperationRate[] {
  const then = before?.hosts.find((host) => host.id === id);
  const host = now.hosts.find((candidate) => candidate.id === id);
  const seconds = now.at - (before?.at ?? now.at);
  if (then === undefined || host === undefined || seconds <= 0) return [];
  return host.endpoints.flatMap((endpoint) => {
    const earlier = then.endpoints.find(({ name }) => name === endpoint.name);
    const requests = endpoint.requests - (earlier?.requests ?? 0);
    if (earlier === undefined || requests < 0) return [];
    return {
      name: endpoint.name,
      requestsPerS: requests / seconds,
      errorsPerS: (endpoint.errors - earlier.errors) / seconds,
      meanMs: requests === 0 ? null : (endpoint.total_ms - earlier.total_ms) / requests,
    };
  });
}

/** One line of a plot: a value for each sample, null if it is missing. */
export interface Line {
  readonly label: string;
  readonly values: readonly (number | null)[];
}

/** Returns a line for each operation of the host. */
export function operationLines(
  samples: readonly Health[],
  id: string,
  value: (rate: OperationRate) => number | null,
): Line[] {
  const rates = samples.map((sample, index) => ratesBetween(samples[index - 1], sample, id));
  const latest = samples.at(-1)?.hosts.find((host) => host.id === id);
  return (latest?.endpoints ?? []).map(({ name }) => ({
    label: name,
    values: rates.map((ofSample) => {
      const rate = ofSample.find((candidate) => candidate.name === name);
      return rate === undefined ? null : value(rate);
    }),
  }));
}

/** Returns a line for each tier of the host that has this metric. */
export function tierLines(samples: readonly Health[], id: string, figure: string): Line[] {
  const latest = samples.at(-1)?.hosts.find((host) => host.id === id);
  const tiers = Object.entries(latest?.tiers ?? {}).filter(([, figures]) => figure in figures);
  return tiers.map(([tier]) => ({
    label: tier,
    values: samples.map(({ hosts }) => {
      const value = hosts.find((host) => host.id === id)?.tiers[tier]?.[figure];
      return typeof value === "number" ? value : null;
    }),
  }));
}

/** Returns the line of a metric of the host process, divided by `unit`. */
export function processLine(samples: readonly Health[], id: string, figure: string, unit: number): Line {
  const values = samples.map(({ hosts }) => {
    const value = hosts.find((host) => host.id === id)?.process[figure];
    return typeof value === "number" ? value / unit : null;
  });
  return { label: figure, values };
}
