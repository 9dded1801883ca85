import type { Token } from '../client/index.ts';
import { tellAge } from './age.ts';
import { openBlocked } from './blocked.ts';
import type { TokenName } from './call.ts';
import { openCalls } from './calls.ts';
import { openChain, statisticsOf } from './chain.ts';
import { byId, make } from './dom.ts';
import { emptyList, fillList, priceEntries } from './figures.ts';
import { openHistory } from './history.ts';
import { createMarket } from './market.ts';
import type { Meter } from './meter.ts';
import { openPrices } from './prices.ts';
import { isOfTheKey, mayPass, type OnError, problemNote, retryButton, toError } from './problem.ts';
import type { Session } from './session.ts';
import type { Theme } from './theme.ts';
import { titleOf } from './titles.ts';

type Parts = { session: Session; theme: Theme; meter: Meter; onRenew: () => void; onOtherKey: () => void };

/** How many figures stand beside a price. */
const FIGURES = 5;

/** Everything there is to look at with a key, and what follows when another token is chosen. */
export function openBoard({ session, theme, meter, onRenew, onOtherKey }: Parts) {
  const market = createMarket(session);
  const blocked = openBlocked({ onRenew, onOtherKey, resetsAt: () => meter.usage?.resetsAt });
  let tokens: readonly Token[] = [];
  let chosen: Token | undefined;

  const onError: OnError = (thrown, place, retry) => {
    const error = toError(thrown);
    if (isOfTheKey(error)) {
      place.replaceChildren(make('p', { class: 'soft' }, 'Not loaded: see the top of the page.'));
      blocked.tell(error);
    } else {
      place.replaceChildren(problemNote(error, ...(mayPass(error) ? [retryButton(retry)] : [])));
    }
  };

  const calls = openCalls(session);
  const chain = openChain({ market, onError });
  const history = openHistory({
    market,
    theme,
    onError,
    onView: (view) => calls.show(view, chosen && statisticsOf(chosen)),
  });
  const prices = openPrices({ market, onSelect: choose, onError });
  const tellFigures = tellAge(byId('figures-age'));

  async function showFigures(token: Token): Promise<void> {
    const list = byId('figures-list');
    byId('figures-title').textContent = `${titleOf(token.tokenName)} figures`;
    emptyList(list, FIGURES);
    tellFigures(undefined);
    // The table tells what goes wrong with it.
    const price = await market.ask({ kind: 'latest', token: token.tokenName }).catch(() => undefined);
    if (chosen !== token) return;
    if (!price) return list.replaceChildren(make('p', { class: 'soft' }, 'Nothing to show.'));
    fillList(list, priceEntries(price.value));
    tellFigures(price);
  }

  function look(token: Token, again = false): Promise<unknown> {
    return Promise.all([history.load({ again }), chain.show(token, { again }), showFigures(token)]);
  }

  function choose(name: TokenName): void {
    const token = tokens.find(({ tokenName }) => tokenName === name);
    if (!token || token === chosen) return;
    chosen = token;
    prices.select(name);
    history.select(token);
    void look(token);
  }

  byId('prices-again').addEventListener('click', () => {
    void prices
      .load({ again: true })
      .then(() => chosen && Promise.all([look(chosen, true), meter.refresh()]));
  });

  /** Asks for everything that is shown. */
  async function load(): Promise<void> {
    market.forget();
    blocked.clear();
    const usage = meter.refresh();
    try {
      if (tokens.length === 0) {
        tokens = await session.anyone.tokens();
        prices.setTokens(tokens);
      }
    } catch (error) {
      return onError(error, byId('prices-problem'), () => void load());
    }
    // What was used before this page began to ask is known first: the rest is its own.
    await usage;
    const token = chosen ?? tokens[0];
    if (!token) return;
    chosen = token;
    prices.select(token.tokenName);
    history.select(token);
    await Promise.all([prices.load(), look(token)]);
  }

  return {
    load,

    /** For somebody else: nothing of what was asked, and no key, is left. */
    forget(): void {
      market.forget();
      blocked.clear();
      calls.forget();
      chosen = undefined;
    },
  };
}
