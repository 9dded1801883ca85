import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

type Labels = Readonly<Record<string, string>>;
/** `counts` has the durations of each bucket (not cumulative), and last those above every bound. */
type Durations = { labels: Labels; counts: ArrayLike<number>; sum: number };
/** A gauge's name and help, and its value in a row; undefined leaves the series out. */
type Column<Row> = readonly [name: string, help: string, value: (row: Row) => number | undefined];

/**
 * The metrics registry, and the only module that knows `prom-client`. What is counted elsewhere is read at the scrape,
 * so a call pays nothing for it.
 */
export function createRegistry() {
  const registry = new Registry();
  const registers = [registry];

  return {
    /** The media type and the text of a scrape. */
    contentType: registry.contentType,
    text: () => registry.metrics(),

    /** Node's own metrics: CPU, memory, event loop, garbage collection. */
    addProcess: (): void => collectDefaultMetrics({ register: registry }),

    /** A counter for rare events; gives the verb that adds to it. */
    counter(name: string, help: string, labelNames: readonly string[] = []) {
      const counter = new Counter({ name, help, labelNames, registers });
      return (labels: Labels = {}, by = 1): void => counter.inc(labels, by);
    },

    /** A histogram of rare events; gives the verb that adds to it. */
    histogram(name: string, help: string, buckets: number[]) {
      const histogram = new Histogram({ name, help, buckets, registers });
      return (value: number): void => histogram.observe(value);
    },

    /** Counters that are counted elsewhere. */
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

    /** Gauges of the same rows: the first that is collected reads the rows for all of them. */
    gauges<Row>(
      labelNames: readonly string[],
      read: () => Iterable<Row>,
      labelsOf: (row: Row) => Labels,
      columns: readonly Column<Row>[],
    ): void {
      const made = columns.map(([name, help, value], column) => {
        const collect = column === 0 ? { collect: readAll } : {};
        return { value, gauge: new Gauge({ name, help, labelNames, registers, ...collect }) };
      });
      function readAll(): void {
        for (const { gauge } of made) gauge.reset();
        for (const row of read()) {
          for (const { gauge, value } of made) {
            const figure = value(row);
            if (figure !== undefined) gauge.set(labelsOf(row), figure);
          }
        }
      }
    },

    /** A gauge whose reading takes a while. */
    gauge(name: string, help: string, read: () => Promise<number>): void {
      const collect = async (): Promise<void> => gauge.set(await read());
      const gauge = new Gauge({ name, help, registers, collect });
    },

    /**
     * Histograms that are counted elsewhere. The library's own hash the labels at every observation, and cannot take
     * counts that were made before.
     */
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
