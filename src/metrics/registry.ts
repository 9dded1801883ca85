import { Counter, collectDefaultMetrics, Gauge, type Histogram, Registry } from 'prom-client';

type Labels = Readonly<Record<string, string>>;
/** `counts` are of the durations up to each bound and above the one before, and at the end of those above them all. */
type Durations = { labels: Labels; counts: ArrayLike<number>; sum: number };
/** A name, what it is, and what a row has of it: undefined where it has none. */
type Column<Row> = readonly [name: string, help: string, value: (row: Row) => number | undefined];

/**
 * What Prometheus reads, and the only part that knows its library. What is counted elsewhere is read when somebody
 * asks for it: nothing of that happens on the way of a call.
 */
export function createExposition() {
  const registry = new Registry();
  const registers = [registry];

  return {
    /** The exposition's media type, and its text. */
    contentType: registry.contentType,
    text: () => registry.metrics(),

    /** What Node tells of itself: CPU, memory, event loop, garbage collection. */
    tellOfProcess: (): void => collectDefaultMetrics({ register: registry }),

    /** A counter that is told of each event, for what is rare; gives the verb for the one with these labels. */
    counter(name: string, help: string, labelNames: readonly string[] = []) {
      const counter = new Counter({ name, help, labelNames, registers });
      return (labels: Labels = {}, by = 1): void => counter.inc(labels, by);
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

    /** Gauges of the same rows, read together: the first that is asked for its value reads for those after it. */
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

    /** A gauge that takes a while to be read. */
    gauge(name: string, help: string, read: () => Promise<number>): void {
      const collect = async (): Promise<void> => gauge.set(await read());
      const gauge = new Gauge({ name, help, registers, collect });
    },

    /**
     * Histograms that are counted elsewhere. One of the library's own hashes the labels of every observation, and has
     * no way to take over what was counted.
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
