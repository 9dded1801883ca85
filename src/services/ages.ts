import { ageAt } from '../domain/age.ts';
import { type Clock, DAY, HOUR } from '../domain/clock.ts';
import { GRAINS } from '../domain/grain.ts';
import { TOKEN_NAMES } from '../domain/token.ts';
import type { Freshness, Kind } from './demand.ts';
import type { Filling } from './filling.ts';
import type { Holdings } from './holdings.ts';

type Parts = {
  holdings: Pick<Holdings, 'latest' | 'series'>;
  filling: Pick<Filling, 'timetable' | 'unasked'>;
  clock: Clock;
};

/** How the newest of every price that is kept stands. */
export function createAges({ holdings, filling, clock }: Parts) {
  return function ages(): Freshness[] {
    const now = clock.now();
    const { latest } = filling.timetable();
    // A latest price is a minute sample too, and the first of an hour an hour's.
    const every = { latest, minute: latest, hour: Math.max(HOUR, latest), day: DAY };
    return TOKEN_NAMES.flatMap((token) => {
      const freshness = (kind: Kind & keyof typeof every, at: number | undefined): Freshness => ({
        token,
        kind,
        age: Math.max(0, ageAt(at, now)),
        every: every[kind],
        idle: filling.unasked(token, kind),
      });
      return [
        freshness('latest', holdings.latest(token)?.fetchedAt),
        ...GRAINS.map((grain) => freshness(grain, holdings.series(token, grain).last()?.at)),
      ];
    });
  };
}
