import { type HostStats, LATENCY_BOUNDS_MS, type RequestStats } from "@membus/host";
import { collectDefaultMetrics, type Metric, Registry } from "prom-client";

type Labels = Readonly<Record<string, string>>;

interface Sample {
  readonly value: number;
  readonly labels: Labels;
  /** Name of the sample, if it differs from the metric name (as in a histogram). */
  readonly metricName?: string;
}

interface MetricDefinition {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly samples: (stats: HostStats) => Sample[];
}

/** Plugin metrics with these names are valid in Prometheus. */
const METRIC_NAME = /^[a-z][a-z0-9_]{0,63}$/;
/** Maximum number of metrics per plugin. The rest are omitted. */
const TIER_METRICS_MAX = 100;

const METRICS: readonly MetricDefinition[] = [
  {
    name: "membus_serving",
    help: "1 while requests are served",
    type: "gauge",
    samples: ({ state }) => [{ value: state === "serving" ? 1 : 0, labels: {} }],
  },
  {
    name: "membus_requests_total",
    help: "Requests that were answered, by type and by code: ok, or why not",
    type: "counter",
    samples: ({ requests }) =>
      Object.entries(requests).flatMap(([type, { outcomes }]) => counted(outcomes, "code", { type })),
  },
  {
    name: "membus_request_seconds",
    help: "From receipt to reply",
    type: "histogram",
    samples: ({ requests }) =>
      Object.entries(requests).flatMap(([type, stats]) => latencySamples({ type }, stats)),
  },
  {
    name: "membus_requests_in_flight",
    help: "Requests under way",
    type: "gauge",
    samples: ({ inFlight }) => [{ value: inFlight.count, labels: {} }],
  },
  {
    name: "membus_in_flight_bytes",
    help: "Bytes of the requests under way",
    type: "gauge",
    samples: ({ inFlight }) => [{ value: inFlight.bytes, labels: {} }],
  },
  {
    name: "membus_dropped_total",
    help: "Messages that were not answered, and answers and events that were not sent, by reason",
    type: "counter",
    samples: ({ dropped }) => counted(dropped, "reason"),
  },
  {
    name: "membus_refused_total",
    help: "Requests that were refused before they were read, by what there was too much of",
    type: "counter",
    samples: ({ refused }) => counted(refused, "cause"),
  },
  {
    name: "membus_plugin_violations_total",
    help: "Results that a plugin returned against its contract",
    type: "counter",
    samples: ({ violations }) => counted(violations, "tier"),
  },
  {
    name: "membus_events_total",
    help: "Events that were published",
    type: "counter",
    samples: ({ eventsPublished }) => [{ value: eventsPublished, labels: {} }],
  },
];

/** Returns the Prometheus metrics of a host and its process. */
export function hostMetrics(stats: () => HostStats): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const { samples, ...metric } of METRICS) {
    register(registry, { ...metric, samples: () => samples(stats()) });
  }
  return registry;
}

/**
 * Returns the text of a registry, and of the tiers' metrics as `membus_tier_<name>`. The metrics of a plugin
 * can change between calls.
 */
export async function metricsText(registry: Registry, stats: HostStats): Promise<string> {
  const tiers = new Registry();
  for (const [name, samples] of tierSamples(stats)) {
    const help = `\`${name}\` of a tier, as SRV.STATS has it`;
    register(tiers, { name: `membus_tier_${name}`, help, type: "gauge", samples: () => samples });
  }
  return (await Registry.merge([registry, tiers]).metrics()).trimEnd().concat("\n");
}

function tierSamples({ tiers }: HostStats): Map<string, Sample[]> {
  const samples = new Map<string, Sample[]>();
  for (const [tier, metrics] of Object.entries(tiers)) {
    const numbers = Object.entries(metrics).filter(
      (metric): metric is [string, number] => METRIC_NAME.test(metric[0]) && typeof metric[1] === "number",
    );
    for (const [name, value] of numbers.slice(0, TIER_METRICS_MAX)) {
      samples.set(name, [...(samples.get(name) ?? []), { value, labels: { tier } }]);
    }
  }
  return samples;
}

/**
 * Registers a metric and reads its values at each scrape. The library's own classes only accumulate values.
 */
function register(
  registry: Registry,
  { name, help, type, samples }: Omit<MetricDefinition, "samples"> & { samples(): Sample[] },
) {
  const get = async () => ({ name, help, type, values: samples(), aggregator: "sum" });
  registry.registerMetric({ name, get } as unknown as Metric);
}

function counted(counts: Readonly<Record<string, number>>, label: string, labels: Labels = {}): Sample[] {
  return Object.entries(counts).map(([name, value]) => ({ value, labels: { ...labels, [label]: name } }));
}

function latencySamples(labels: Labels, { count, latency }: RequestStats): Sample[] {
  const metricName = "membus_request_seconds";
  let sum = 0;
  const buckets = LATENCY_BOUNDS_MS.map((bound, index) => {
    sum += latency.counts[index]!;
    return {
      value: sum,
      labels: { ...labels, le: String(bound / 1_000) },
      metricName: `${metricName}_bucket`,
    };
  });
  return [
    ...buckets,
    { value: count, labels: { ...labels, le: "+Inf" }, metricName: `${metricName}_bucket` },
    { value: latency.sumMs / 1_000, labels, metricName: `${metricName}_sum` },
    { value: count, labels, metricName: `${metricName}_count` },
  ];
}
