import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

type Labels = Readonly<Record<string, string>>;
/** `counts` has one count per bucket. The counts are not cumulative. The last bucket has no upper bound. */
type Durations = { labels: Labels; counts: ArrayLike<number>; sum: number };
/** An undefined value omits the series. */
type Column<Row> = readonly [name: string, help: string, value: (row: Row) => number | undefined];

/** Wraps `prom-client`. Values that are counted elsewhere are read only at the scrape. */
export function createRegistry() {
  const registry = new Registry();
  const registers = [registry];

  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),

    /** Adds Node's default metrics, except the sizes of the 13 heap spaces. */
    addProcess(): void {
      collectDefaultMetrics({ register: registry });
      for (const size of ['total', 'used', 'available'])
        registry.removeSingleMetric(`nodejs_heap_space_size_${size}_bytes`);
    },

    counter(name: string, help: string, labelNames: readonly string[] = []) {
      const counter = new Counter({ name, help, labelNames, registers });
      return (labels: Labels = {}, by = 1): void => counter.inc(labels, by);
    },

    histogram(name: string, help: string, buckets: number[]) {
      const histogram = new Histogram({ name, help, buckets, registers });
      return (value: number): void => histogram.observe(value);
    },

    counters(
      name: string,
      help: string,
      labelNames: readonly string[],
      read: () => Iterable<{ labels: Labels; value: number }>,
    ): void {
      const collect = () => {
        counter.reset();
        for (const { labels, value } of read()) counter.inc(labels, value);
      };
      const counter = new Counter({ name, help, labelNames, registers, collect });
    },

    /** Creates gauges that share rows. The first gauge reads the rows. If reading fails, the gauges have no series. */
    gauges<Row>(
      labelNames: readonly string[],
      read: () => Iterable<Row> | Promise<Iterable<Row>>,
      labelsOf: (row: Row) => Labels,
      columns: readonly Column<Row>[],
    ): void {
      // The library collects the gauges in this order, and does not wait for one before it starts the next.
      let reading: void | Promise<void>;
      const gauges = columns.map(([name, help, value], column) => {
        const collect = () => {
          if (column === 0) reading = readAll();
          return reading;
        };
        return { value, gauge: new Gauge({ name, help, labelNames, registers, collect }) };
      });
      function readAll(): void | Promise<void> {
        const rows = read();
        return rows instanceof Promise ? rows.catch(() => []).then(fill) : fill(rows);
      }
      function fill(rows: Iterable<Row>): void {
        for (const { gauge } of gauges) {
          gauge.reset();
          // For a gauge without labels, `reset` sets 0 instead of removing the series.
          if (labelNames.length === 0) gauge.remove();
        }
        for (const row of rows) {
          for (const { gauge, value } of gauges) {
            const figure = value(row);
            if (figure !== undefined) gauge.set(labelsOf(row), figure);
          }
        }
      }
    },

    gauge(name: string, help: string, read: () => number | Promise<number>): void {
      const collect = async (): Promise<void> => gauge.set(await read());
      const gauge = new Gauge({ name, help, registers, collect });
    },

    /** Adds histograms that are counted elsewhere: the library's own ones hash labels per call. */
    histograms(name: string, help: string, bounds: readonly number[], read: () => Iterable<Durations>): void {
      const valuesOf = ({ labels, counts, sum }: Durations) => {
        let upTo = 0;
        const buckets = Array.from(counts, (count, bucket) => {
          upTo += count;
          const le = bounds[bucket] ?? '+Inf';
          return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: upTo };
        });
        const total = { metricName: `${name}_count`, labels, value: upTo };
        return [...buckets, { metricName: `${name}_sum`, labels, value: sum }, total];
      };
      const get = async () => ({ name, help, type: 'histogram', values: [...read()].flatMap(valuesOf) });
      registry.registerMetric({ name, get } as unknown as Histogram);
    },
  };
}

export type MetricsRegistry = ReturnType<typeof createRegistry>;
