import { SECOND } from '#core/clock';
import type { MetricsRegistry } from '#core/metrics';
import type { PoolWaits } from './pool.ts';

const WAIT_BOUNDS = [0.001, 0.005, 0.02, 0.1, 0.5, 1, 5];

export function addDatabaseReadings(registry: MetricsRegistry, waits: PoolWaits, ready: () => Promise<unknown>): void {
  registry.gauge('quotient_database_up', '1 if the database is writable, otherwise 0', () =>
    ready().then(
      () => 1,
      () => 0,
    ),
  );
  const waiting = 'Statements waiting for a connection from the pool';
  registry.gauge('quotient_database_pool_waiting', waiting, waits.waiting);
  const observe = registry.histogram(
    'quotient_database_pool_wait_seconds',
    'Time that statements waited for a connection from the pool',
    WAIT_BOUNDS,
  );
  waits.observe((ms) => observe(ms / SECOND));
}
