import type { Clock } from '#core/clock';
import type { Log } from '#core/log';
import type { MetricsRegistry } from '#core/metrics';
import type { Database } from '#database/database';
import type { RefreshStore } from '#upstream/claims-and-budgets-store';
import { createLedgerMetrics } from './ledger-metrics.ts';
import type { ledgerSettings } from './ledger-settings.ts';
import { createLedgerStore } from './statements/ledger-store.ts';
import { deleteUsageBefore } from './usage/usage-day-store.ts';
import { createUsageRetention } from './usage/usage-retention.ts';

type Deps = {
  settings: ReturnType<typeof ledgerSettings>;
  database: Pick<Database, 'prisma' | 'query' | 'execute' | 'isDistributed'>;
  refreshes: RefreshStore;
  metrics: MetricsRegistry;
  clock: Clock;
  log: Log;
};

export function openLedger({ settings, database, metrics, ...deps }: Deps) {
  const ledgerMetrics = createLedgerMetrics(metrics);
  const retention = createUsageRetention({
    ...deps,
    // No request waits for a deletion, so it has no deadline.
    deleteBefore: (date) => deleteUsageBefore(database.prisma, date),
    retention: settings.usageRetention,
  });
  return {
    ledger: createLedgerStore(database, ledgerMetrics.statement),
    observeWait: ledgerMetrics.wait,
    jobs: [retention],
  };
}

export type OpenLedger = ReturnType<typeof openLedger>;
