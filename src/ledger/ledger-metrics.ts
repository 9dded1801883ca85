import { SECOND } from '#core/clock';
import type { MetricsRegistry } from '#core/metrics';
import type { LeasesReading } from '#ledger/leases';
import type { LeaseRows } from '#ledger/statements/ledger-store';

const WAIT_BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

export function createLedgerMetrics(registry: MetricsRegistry) {
  const statement = registry.counter(
    'quotient_ledger_statements_total',
    'Database statements that grant, report or close leases',
  );
  const wait = registry.histogram(
    'quotient_ledger_wait_seconds',
    'Time for which calls waited for the ledger; calls without a wait are not counted',
    WAIT_BOUNDS,
  );
  return { statement: () => statement(), wait: (ms: number): void => wait(ms / SECOND) };
}

export function addLeaseReadings(registry: MetricsRegistry, read: () => LeasesReading): void {
  const rows = () => [read()];
  registry.gauges(rows, () => ({}), [
    ['quotient_leases_open', 'Leases that this process holds', ({ leases }) => leases],
    ['quotient_leases_granted_calls', 'Calls granted to the open leases of this process', ({ granted }) => granted],
    ['quotient_leases_unspent_calls', 'Unspent calls in the open leases of this process', ({ unspent }) => unspent],
    [
      'quotient_leases_unsettled_calls',
      'Spent calls that the ledger has not confirmed yet',
      ({ unsettled }) => unsettled,
    ],
    ['quotient_ledger_tick_seconds', 'Time between settlements', ({ tick }) => tick / SECOND],
    [
      'quotient_ledger_confirmed_age_seconds',
      'Time since the ledger last confirmed a statement of this process; absent before the first confirmation',
      ({ sinceConfirmed }) => (Number.isFinite(sinceConfirmed) ? sinceConfirmed / SECOND : undefined),
    ],
  ]);
  const settled = 'Calls recorded by the ledger; later refunds are not subtracted';
  const refunded = 'Calls refunded because the response did not have a 2xx status';
  const one = (value: number) => [{ labels: {}, value }];
  registry.counters('quotient_calls_settled_total', settled, () => one(read().settled));
  registry.counters('quotient_calls_refunded_total', refunded, () => one(read().refunded));
}

/** Every process reports the lease rows of all processes, which it reads at its scrape. */
export function addLeaseRowReadings(registry: MetricsRegistry, read: () => Promise<LeaseRows>): void {
  const rows = async () => Object.entries(await read());
  registry.gauges(rows, ([state]) => ({ state }), [
    ['quotient_lease_rows', 'Rows in the lease table, by state', ([, count]) => count],
  ]);
}
