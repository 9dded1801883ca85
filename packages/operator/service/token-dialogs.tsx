import { Isolated } from '../../pages/components/figures.tsx';
import { api, ask, report, tokens } from '../core/store.ts';
import type { AddedToken, Coin, ServedToken } from '../generated/records.ts';

const MAX_ID = 100;
const MAX_SYMBOL = 50;

type Pair = AddedToken['pairs'][number];
const WITHOUT_PAIR: Readonly<Record<Pair['outcome'], string>> = {
  given: 'as requested',
  found: 'as requested',
  left_out: 'as requested',
  not_traded: 'the symbol is not traded for US dollars',
  taken: 'another token uses the pair',
  unconfirmed: 'a price to compare is unknown',
  another: "the price differs from CoinGecko's price",
  unavailable: 'the exchange is unavailable; add the token again',
};

/** The pair that is used, or the reason why none is used. */
function pairText({ exchange, pair, outcome, candidate }: Pair): string {
  if (pair !== null && outcome !== 'unavailable') return `${exchange}: ${pair}.`;
  return `${exchange}: ${pair ?? 'no pair'}${candidate ? ` instead of ${candidate}` : ''}, because ${WITHOUT_PAIR[outcome]}.`;
}

function reportAddition({ token: { id, symbol }, isNew, symbolOf, pairs }: AddedToken): void {
  const meaning = symbolOf === id ? '' : ` The symbol ${symbol} refers to ${symbolOf}.`;
  const text = `${id} is ${isNew ? 'added' : 'updated'}.${meaning} ${pairs.map(pairText).join(' ')}`;
  report(text, pairs.some(({ outcome }) => outcome === 'unavailable') ? 'bad' : 'good');
}

export const askAddition = ({ id, title }: Coin) =>
  ask({
    texts: ['Add the token?', 'Add', 'Adding…'],
    fields: [
      {
        name: 'symbol',
        label: "Symbol (empty: CoinGecko's symbol)",
        kind: 'text',
        most: MAX_SYMBOL,
        wrong: 'Enter a symbol without spaces and commas.',
        isOptional: true,
      },
    ],
    effect: () => (
      <>
        The service serves <Isolated>{title}</Isolated> ({id}) from now on. This uses two calls of the CoinGecko budget.
        If the token exists, its data is updated.
      </>
    ),
    async act(values) {
      const symbol = values('symbol');
      reportAddition(await api.addToken(id, symbol === '' ? {} : { symbol }));
      await tokens.reload();
    },
  });

export const askSuccessor = ({ id, successor }: ServedToken) =>
  ask({
    texts: ['Set the successor?', 'Set successor', 'Saving…'],
    fields: [
      {
        name: 'successor',
        label: 'ID of the successor (empty: none)',
        kind: 'text',
        most: MAX_ID,
        value: successor ?? '',
        wrong: 'Enter a CoinGecko ID, such as dogecoin.',
        isOptional: true,
      },
    ],
    effect: (values) =>
      values('successor') === '' ? (
        `Requests for ${id} return its own data.`
      ) : (
        <>
          Requests for {id} return the data of <Isolated>{values('successor')}</Isolated>.
        </>
      ),
    async act(values) {
      await api.setSuccessor(id, values('successor') || null);
      report(values('successor') === '' ? `${id} has no successor.` : `The successor of ${id} is set.`);
      await tokens.reload();
    },
  });

export const askRemoval = ({ id }: ServedToken) =>
  ask({
    texts: ['Remove the token?', 'Remove', 'Removing…'],
    isDangerous: true,
    effect: () => `Requests for ${id} are rejected within seconds. Its stored data is kept, in case you add it again.`,
    async act() {
      await api.removeToken(id);
      report(`${id} is removed. Its stored data is kept.`);
      await tokens.reload();
    },
  });
