import type { Clock } from '../domain/clock.ts';
import { GRAINS, type Grain, isGap, lastKnowable } from '../domain/grain.ts';
import { type Span, union, without } from '../domain/span.ts';
import { listedAt, TOKEN_NAMES, type TokenName } from '../domain/token.ts';
import type { ArchiveStore } from '../stores/archive.ts';

/** What the archive holds of a token at one grain; instants in Unix ms, `first` and `last` those of its samples. */
export type InventoryRow = {
  token: TokenName;
  grain: Grain;
  points: number;
  first: number | undefined;
  last: number | undefined;
  /** Of which all is known that the source knows. */
  spans: Span[];
  /** What is not known between the token's beginning (its listing, or an older day held) and now. */
  gaps: Span[];
};

/** What the archive holds of every token and grain, and what it lacks. */
export async function takeInventory(store: ArchiveStore, clock: Clock): Promise<InventoryRow[]> {
  const [held, coverage] = await Promise.all([store.summary(), store.coverage()]);
  const now = clock.now();

  const rowOf = (token: TokenName, grain: Grain) =>
    held.find((row) => row.token === token && row.grain === grain);
  return TOKEN_NAMES.flatMap((token) =>
    GRAINS.map((grain): InventoryRow => {
      const row = rowOf(token, grain);
      const mine = coverage.filter((one) => one.token === token && one.grain === grain);
      const spans = union(mine.map(({ span }) => span));
      const beginning = Math.min(listedAt(token), rowOf(token, 'day')?.from ?? Number.POSITIVE_INFINITY);
      const knowable = { from: beginning, thru: lastKnowable(grain, now) };
      return {
        token,
        grain,
        points: row?.points ?? 0,
        first: row?.from,
        last: row?.thru,
        spans,
        gaps: without(knowable, spans).filter((gap) => isGap(grain, gap)),
      };
    }),
  );
}
