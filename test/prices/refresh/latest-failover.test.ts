import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MINUTE } from '#core/clock';
import { type FailoverState, STARTING_STATE } from '#prices/archive/latest-store';
import { MARKET_SOURCES, parseMarketSources } from '#prices/model/market-sources';
import { type FailoverEvent, frozenAfter, isSound, nextFailoverState } from '#prices/refresh/latest-failover';
import { areFarApart } from '#upstream/plausible';

const [PRIMARY, FALLBACK] = MARKET_SOURCES;
const anyEvent: fc.Arbitrary<FailoverEvent> = fc.oneof(
  fc.constant({ kind: 'primary_answered' as const }),
  fc.constant({ kind: 'primary_failed' as const }),
  fc.boolean().map((isSound) => ({ kind: 'fallback_answered' as const, source: FALLBACK, isSound })),
);

/** The source that is served after these events, by the documented rule. */
function servedAfter(events: readonly FailoverEvent[]): string {
  const takenOver = events.findLastIndex(
    (event, i) => event.kind === 'fallback_answered' && !event.isSound && servedAfter(events.slice(0, i)) === PRIMARY,
  );
  if (takenOver < 0) return PRIMARY;
  const answers = events.slice(takenOver + 1).filter(({ kind }) => kind !== 'fallback_answered');
  const isBack = answers.some(
    ({ kind }, i) => kind === 'primary_answered' && answers[i + 1]?.kind === 'primary_answered',
  );
  return isBack ? PRIMARY : FALLBACK;
}

describe('the served source', () => {
  it('is the fallback from its first response while the primary is unhealthy, until two consecutive good responses of the primary', () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 14 }), (events) => {
        let state: Pick<FailoverState, 'served' | 'goodAnswers'> = STARTING_STATE;
        for (const [i, event] of events.entries()) {
          state = nextFailoverState(state, event);
          expect(state.served).toBe(servedAfter(events.slice(0, i + 1)));
          expect(state.goodAnswers).toBeLessThan(state.served === PRIMARY ? 1 : 2);
        }
      }),
    );
  });

  it('is healthy while it can be called, or if it responded within twice its interval', () => {
    const at = 1_000_000;
    const requested = { answeredAt: at, every: MINUTE, canBeRequested: false };
    expect(isSound(requested, at + 2 * MINUTE)).toBe(true);
    expect(isSound(requested, at + 2 * MINUTE + 1)).toBe(false);
    expect(isSound({ ...requested, canBeRequested: true }, at + 9 * MINUTE)).toBe(true);
    expect(isSound({ ...requested, answeredAt: undefined }, at)).toBe(false);
  });

  it('has stopped if its newest price is older than twice its interval plus ten minutes', () => {
    expect(frozenAfter(6 * MINUTE)).toBe(22 * MINUTE);
  });
});

it('prices differ much if one exceeds the other by more than a fifth, in either order', () => {
  for (const [a, b, isFar] of [
    [100, 120, false],
    [100, 121, true],
    [100, 80, true],
    [1, 1, false],
  ] as const) {
    expect(areFarApart(a, b)).toBe(isFar);
    expect(areFarApart(b, a)).toBe(isFar);
  }
});

describe('MARKET_SOURCES', () => {
  it.each([
    ['coingecko', ['coingecko']],
    ['coingecko,kraken', ['coingecko', 'kraken']],
    [' coingecko , kraken ', ['coingecko', 'kraken']],
  ])('%s', (text, line) => expect(parseMarketSources(text)).toEqual(line));

  it.each(['kraken', 'kraken,coingecko', 'coingecko,coingecko', 'coingecko,binance', 'coingecko,', ','])(
    'parses %s as the source order',
    (text) =>
      expect(() => parseMarketSources(text)).toThrow(
        'must be a list of sources such as coingecko,kraken: coingecko first, and each source once (coingecko, kraken)',
      ),
  );
});
