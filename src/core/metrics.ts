import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';

type Labels = Readonly<Record<string, string>>;
type Series = { labels: Labels; value: number; metricName?: string };
/** `counts` has one count per bucket. The counts are not cumulative. The last bucket has no upper bound. */
type Durations = { labels: Labels; counts: ArrayLike<number>; sum: number };
/** An undefined value omits the series. */
type Column<Row> = readonly [name: string, help: string, value: (row: Row) => number | undefined];

/** Wraps `prom-client`. Values that are counted elsewhere are read only at the scrape. */
export function createRegistry() {
  const registry = new Registry();
  const registers = [registry];

  /** Adds a metric that is counted elsewhere. The library's own metrics hash labels per call and cannot import counts. */
  function add(
    type: 'counter' | 'gauge' | 'histogram',
    name: string,
    help: string,
    read: () => Iterable<Series> | Promise<Iterable<Series>>,
  ): void {
    const get = async () => ({ name, help, type, values: [...(await read())] });
    registry.registerMetric({ name, get } as unknown as Histogram);
  }

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

    counters: (name: string, help: string, read: () => Iterable<Series>): void => add('counter', name, help, read),

    gauge: (name: string, help: string, read: () => number | Promise<number>): void =>
      add('gauge', name, help, async () => [{ labels: {}, value: await read() }]),

    /** Creates gauges that share rows. If reading the rows fails, the gauges have no series. */
    gauges<Row>(
      read: () => Iterable<Row> | Promise<Iterable<Row>>,
      labelsOf: (row: Row) => Labels,
      columns: readonly Column<Row>[],
    ): void {
      let rows: Promise<Row[]>;
      const readAll = async () => [...(await read())];
      for (const [column, [name, help, figureOf]] of columns.entries()) {
        add('gauge', name, help, async () => {
          // The library reads the metrics in this order, and does not wait for one before it starts the next.
          if (column === 0) rows = readAll().catch(() => []);
          return (await rows).flatMap((row) => {
            const value = figureOf(row);
            return value === undefined ? [] : [{ labels: labelsOf(row), value }];
          });
        });
      }
    },

    histograms(name: string, help: string, bounds: readonly number[], read: () => Iterable<Durations>): void {
      const seriesOf = ({ labels, counts, sum }: Durations): Series[] => {
        let upTo = 0;
        const buckets = Array.from(counts, (count, bucket) => {
          upTo += count;
          const le = String(bounds[bucket] ?? '+Inf');
          return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: upTo };
        });
        const total = { metricName: `${name}_count`, labels, value: upTo };
        return [...buckets, { metricName: `${name}_sum`, labels, value: sum }, total];
      };
      add('histogram', name, help, () => [...read()].flatMap(seriesOf));
    },
  };
}

export type MetricsRegistry = ReturnType<typeof createRegistry>;
