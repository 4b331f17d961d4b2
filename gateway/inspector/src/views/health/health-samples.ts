import type { Health } from "@membus/gateway/inspector-api";
/** A sample every two seconds, for five minutes. */
export const SAMPLE_MS = 2_000;
const SAMPLES_MAX = 150;

/** Adds the latest, and drops what is older than five minutes. One that was answered twice counts once. */
export function addSample(samples: readonly Health[], latest: Health): readonly Health[] {
  if (samples.at(-1)?.at === latest.at) return samples;
  return [...samples, latest].slice(-SAMPLES_MAX);
}

/** Of one operation between two samples. */
export interface OperationRate {
  readonly name: string;
  readonly requestsPerS: number;
  readonly errorsPerS: number;
  /** Null where there was no request. */
  readonly meanMs: number | null;
}

/** Empty for the first sample of a host, and where its counters began anew. */
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

/** One line of a plot: a value for each sample, null where there is none. */
export interface Line {
  readonly label: string;
  readonly values: readonly (number | null)[];
}

/** A line for each operation of the host. */
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

/** A line for each tier of the host that has the figure. */
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

/** Of the process of the host, divided by `unit`. */
export function processLine(samples: readonly Health[], id: string, figure: string, unit: number): Line {
  const values = samples.map(({ hosts }) => {
    const value = hosts.find((host) => host.id === id)?.process[figure];
    return typeof value === "number" ? value / unit : null;
  });
  return { label: figure, values };
}
