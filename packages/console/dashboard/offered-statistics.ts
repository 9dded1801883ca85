import type { Token } from '../../client/index.ts';
import type { MarketData } from '../api/market-data.ts';
import type { OnError } from '../core/problem.ts';
import { openOffer } from '../panels/offer.ts';
import type { Session } from '../session/session.ts';
import { openStatistics, statisticsSymbolOf } from './statistics.ts';

type Options = {
  session: Pick<Session, 'anonymous'>;
  marketData: MarketData;
  onError: OnError;
  onTaken: () => void;
};

/** The panel of on-chain statistics, which are loaded once the user asks for them: they cost a call for each token. */
export function openOfferedStatistics({ session, marketData, onError, onTaken }: Options) {
  const statistics = openStatistics({ session, marketData, onError });
  let isWanted = false;
  let current: Token | undefined;
  const offer = openOffer('statistics', () => {
    isWanted = true;
    onTaken();
    if (current) void show(current);
  });
  const costsCall = (token: Token) => statisticsSymbolOf(token) !== undefined;

  async function show(token: Token, options?: { refresh: boolean }): Promise<void> {
    current = token;
    if (costsCall(token) && !isWanted) {
      statistics.name(token);
      return offer.show('Statistics cost one call for each token.');
    }
    offer.hide();
    await statistics.show(token, options);
  }

  return {
    show,
    /** Whether a refresh loads the statistics of a token. */
    isLoaded: (token: Token) => isWanted && costsCall(token),
    clear(): void {
      isWanted = false;
    },
  };
}
