import type { PairOutcome } from '#catalogue/coin-facts';
import type { Added, Listing } from '#catalogue/listing';
import { isTokenSymbol, MAX_SERVED, type Token } from '#catalogue/token';
import { createTokenStore } from '#catalogue/token-store';
import { type Command, type Given, wrongUsage } from '#cli/arguments';
import { withDatabase } from '#cli/configured-database';
import { alignedTable, note, number, print, printJson, say, withProgress } from '#cli/output';
import { cliOperator } from '#cli/users/operator';
import { isoOrNull } from '#core/clock';
import { Problem } from '#core/problems';
import { createArchiveStore, isInactive } from '#prices/latest/latest-store';
import { EXCHANGE_NAMES, EXCHANGES, type ExchangeName } from '#prices/sources/price-sources';
import { EXIT, ExitError } from '#process/exit';
import { withListing } from './configured-listing.ts';

const titleOf = (exchange: string): string => EXCHANGES[exchange as ExchangeName]?.title ?? exchange;

const SEARCH = '`quotient tokens find <text>` searches CoinGecko.';
const SERVED = '`quotient tokens list` lists the served tokens.';

/** @param hint how to find an ID, which follows the error for an unknown ID */
const withHint = (hint: string) => (error: unknown) => {
  if (!(error instanceof Problem)) throw error;
  const text = error.code === 'not_found' ? `${error.message} ${hint}` : error.message;
  throw new ExitError(text, EXIT.failed, error);
};

function pairText(exchange: string, outcome: PairOutcome, pair: string | undefined): string {
  const title = titleOf(exchange);
  if (outcome.kind === 'given' || outcome.kind === 'found')
    return outcome.status === 'online'
      ? `${pair} on ${title}`
      : `${pair} on ${title}, which does not currently trade the pair (${outcome.status})`;
  if (outcome.kind === 'left_out') return 'none, as requested';
  if (outcome.kind === 'not_traded') return `none: ${title} does not trade this symbol for US dollars`;
  if (outcome.kind === 'unavailable')
    return `${pair ?? 'none'}: ${title} is unavailable (${outcome.cause}); add the token again to find its pair`;
  if (outcome.kind === 'taken')
    return `none: ${title}'s pair ${outcome.pair} is already assigned to ${outcome.by}; set another pair with --${exchange}`;
  const why =
    outcome.kind === 'unconfirmed'
      ? ', because a price to compare is unknown'
      : ` (${outcome.price} on ${title}, ${outcome.wanted} on CoinGecko)`;
  return `none: ${title}'s pair ${outcome.pair} may be for another token${why}; if the pair is correct, set it with --${exchange}`;
}

function printAdded({ token, isKnown, isFirstDate, pairs, shared, meant }: Added): void {
  const { name, symbol, title, listed } = token;
  say(`${name}: ${title} (${symbol}), ${isKnown ? 'updated' : 'added'}`);
  say(
    `listed: ${listed}${isFirstDate ? '' : ', or earlier: the CoinGecko plan does not reach back to the first price'}`,
  );
  for (const [exchange, outcome] of pairs) say(`pair: ${pairText(exchange, outcome, token.pairs[exchange])}`);
  if (shared.length === 0) return;
  const others = shared.map((token) => token.name).join(', ');
  say(`symbol: ${symbol} refers to ${meant.name}; ${meant.name === name ? others : name} has the same symbol`);
}

type Pairs = Readonly<Record<string, string>>;

const isUnavailable = ({ pairs }: Added): boolean => [...pairs.values()].some(({ kind }) => kind === 'unavailable');

async function addOne(listing: Listing, wanted: Parameters<Listing['add']>[1]): Promise<Added> {
  const added = await withProgress(
    () => `${wanted.id}: reading the coin and its pairs`,
    () => listing.add(cliOperator(), wanted).catch(withHint(SEARCH)),
  );
  printAdded(added);
  return added;
}

async function addSeveral(listing: Listing, ids: readonly string[], pairs: Pairs): Promise<number> {
  let failed = 0;
  let unpaired = 0;
  for (const [i, id] of ids.entries()) {
    try {
      const added = await addOne(listing, { id, pairs });
      if (isUnavailable(added)) unpaired += 1;
    } catch (error) {
      if (!(error instanceof ExitError)) throw error;
      failed += 1;
      note(`ID ${i + 1} of ${ids.length}: not added: ${error.message}`);
    }
  }
  say(`${ids.length - failed} of ${ids.length} tokens added or updated`);
  if (unpaired > 0)
    note(`the pairs of ${unpaired} tokens are unknown, because an exchange was unavailable: add the tokens again`);
  return failed + unpaired > 0 ? EXIT.failed : EXIT.ok;
}

async function add({ values, positionals: ids }: Given): Promise<number> {
  const symbol = values.symbol?.toLowerCase();
  if (symbol !== undefined && !isTokenSymbol(symbol))
    throw wrongUsage(
      '--symbol must have at most 50 characters and must not contain spaces, commas or control characters',
    );
  const pairs = Object.fromEntries(EXCHANGE_NAMES.flatMap((name) => (values[name] ? [[name, values[name]]] : [])));
  const [id = '', ...others] = ids;
  if (others.length === 0) {
    const added = await withListing((listing) => addOne(listing, { id, symbol, pairs }));
    return isUnavailable(added) ? EXIT.failed : EXIT.ok;
  }
  if (symbol !== undefined || Object.values(pairs).some((pair) => pair !== 'none'))
    throw wrongUsage('--symbol and pairs require a single <id>: add this token with a separate command');
  return withListing((listing) => addSeveral(listing, ids, pairs));
}

async function remove({ values: { id = '' } }: Given): Promise<void> {
  await withListing((listing) => listing.remove(cliOperator(), id).catch(withHint(SERVED)));
  say(`${id}: removed; its stored data is kept`);
}

async function alias({ values: { id = '', 'new-id': to = '' } }: Given): Promise<void> {
  const successor = to === 'none' ? undefined : to;
  await withListing((listing) => listing.alias(cliOperator(), id, successor).catch(withHint(SERVED)));
  say(successor === undefined ? `${id}: has no alias` : `${id}: requests return the data of ${successor}`);
}

async function list({ flags }: Given): Promise<void> {
  const [tokens, times] = await withDatabase(({ prisma }) =>
    Promise.all([createTokenStore(prisma).all(), createArchiveStore(prisma).priceTimes()]),
  );
  const timesOf = new Map(times.map((time) => [time.token, time]));
  const lifeOf = ({ name }: Token) => {
    const { pricedAt = null, respondedAt = null } = timesOf.get(name) ?? {};
    return { inactive: isInactive({ pricedAt, respondedAt }), lastPriceAt: isoOrNull(pricedAt) };
  };
  if (flags.has('json')) {
    const rows = tokens.map((token) => ({ ...token, successor: token.successor ?? null }));
    return printJson(rows.map((token) => ({ ...token, ...lifeOf(token as Token) })));
  }
  const row = (token: Token) => {
    const { name, symbol, title, listed, pairs, successor } = token;
    const { inactive, lastPriceAt } = lifeOf(token);
    const state = successor === undefined ? (inactive ? 'inactive' : 'active') : `alias of ${successor}`;
    return [name, symbol, title, listed, Object.values(pairs).join(', ') || '-', lastPriceAt ?? '-', state];
  };
  const head = ['id', 'symbol', 'title', 'listed', 'pairs', 'last price', 'state'];
  print(alignedTable([head, ...tokens.map(row)]));
}

async function find({ values: { text = '' } }: Given): Promise<void> {
  const coins = await withListing((listing) =>
    withProgress(
      () => 'searching CoinGecko',
      () => listing.find(text),
    ),
  );
  if (coins.length === 0)
    throw new ExitError('no coin found: search for a part of the name or for the symbol', EXIT.failed);
  const rows = coins.map(({ id, symbol, title }) => [id, symbol, title]);
  print(alignedTable([['id', 'symbol', 'title'], ...rows]));
}

const ID = { id: "the token's CoinGecko ID" };

export const commands: readonly Command[] = [
  {
    name: 'tokens add',
    arguments: { 'id…': 'the CoinGecko IDs of the coins' },
    options: {
      'symbol <symbol>': 'the symbol, if CoinGecko lists an unsuitable one; requires a single ID',
      ...Object.fromEntries(
        EXCHANGE_NAMES.map((name) => [
          `${name} <pair>`,
          `the pair on ${titleOf(name)}, or \`none\`; a pair requires a single ID`,
        ]),
      ),
    },
    help: `Serves the coins with these CoinGecko IDs, and uses the candles and prices of the exchanges in MARKET_SOURCES that
trade a coin for US dollars. If a token exists, its data is updated. \`quotient tokens find\` lists the IDs of a name or
symbol.`,
    run: add,
  },
  {
    name: 'tokens remove',
    arguments: ID,
    help: 'Stops serving a token. The stored data of the token is kept.',
    run: remove,
  },
  {
    name: 'tokens alias',
    arguments: { ...ID, 'new-id': 'the token whose data is returned, or `none` to remove the alias' },
    help: 'Returns the data of another token for requests for a token, for example after it was renamed.',
    run: alias,
  },
  {
    name: 'tokens list',
    options: { json: 'prints all fields as JSON' },
    help: 'Lists the served tokens.',
    run: list,
  },
  {
    name: 'tokens find',
    arguments: { text: 'a part of the name, or the symbol' },
    help: 'Searches CoinGecko for coins, and lists their IDs.',
    run: find,
  },
];

export const notes = `The maximum is ${number(MAX_SERVED)} tokens. If several tokens share a symbol, the symbol refers to the token that was
added first. Running processes apply changes within seconds. Calls to CoinGecko (two for each added ID, one
for \`find\`) count toward the service's budget.
These commands use DATABASE_URL, or the embedded database in DATA_DIR, even while the service is running.`;
