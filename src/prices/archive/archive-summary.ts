import type { TokenName } from '#catalogue/token';
import type { Clock } from '#core/clock';
import { memo } from '#core/memo';
import { plausibleTimes } from '#upstream/plausible';
import type { ArchiveStore, SeriesSummary } from './archive-store.ts';

type Counted = { changes: number; rows: readonly SeriesSummary[] };
type Dependencies = { store: Pick<ArchiveStore, 'changes' | 'summary'>; clock: Clock };

/** For each series and source its first and last sample and their number, counted by the store again after a change. */
export function createArchiveSummary({ store, clock }: Dependencies) {
  const counted = new Map<TokenName, Counted>();

  async function count(): Promise<SeriesSummary[]> {
    const changes = await store.changes();
    const changed = [...changes].filter(([token, count]) => counted.get(token)?.changes !== count);
    const tokens = changed.map(([token]) => token);
    const rows = tokens.length > 0 ? await store.summary(plausibleTimes(clock.now()), tokens) : [];
    const rowsOf = Map.groupBy(rows, ({ token }) => token);
    for (const [token, count] of changed) {
      counted.set(token, { changes: count, rows: rowsOf.get(token) ?? [] });
    }
    return [...counted.values()].flatMap(({ rows }) => rows);
  }

  return memo(count, { ttl: 0, clock });
}
