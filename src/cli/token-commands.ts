import {
  type Added,
  createListing,
  type Listing,
  MOST_SERVED,
  type PairOutcome,
  type Refusal,
} from '#catalogue/listing';
import { openCatalogue } from '#catalogue/open';
import { isTokenSymbol, type Token } from '#catalogue/token';
import { createTokenStore } from '#catalogue/token-store';
import { command, JSON_OPTION, wrongUsage } from '#cli/arguments';
import type { CommandLine } from '#cli/command-line';
import { alignedTable, printJson } from '#cli/command-line';
import { withDatabase } from '#cli/configured-database';
import { cliOperator } from '#cli/users/operator';
import { type Clock, systemClock } from '#core/clock';
import type { Log } from '#core/log';
import type { Database } from '#database/database';
import { createDeadline } from '#database/deadline';
import { isDatabaseUnable } from '#database/unreachable';
import { openKraken } from '#prices/open-kraken';
import { openCoinGecko } from '#prices/sources/coingecko';
import { EXIT, ExitError } from '#process/exit';
import { readSettings, type Settings } from '#settings';
import { openBudget } from '#upstream/budget';
import { createBreaker } from '#upstream/circuit-breaker';
import { createRefreshStore } from '#upstream/claims-and-budgets-store';
import { type FailureCause, UpstreamFailure } from '#upstream/failure';
import { createVersionWatcher } from '#upstream/version-watcher';

const USAGE = `Manages the served tokens. The maximum is ${MOST_SERVED.toLocaleString('en')} tokens.

  npm run tokens -- add <id>… [--symbol <symbol>] [--kraken <pair>|none]
                                 serve the coins with these CoinGecko IDs, and use Kraken's candles and prices
                                 if Kraken trades a coin for US dollars; if a token exists, update its data.
                                 --symbol and --kraken <pair> require a single ID
  npm run tokens -- remove <id>  stop serving a token; the stored data of the token is kept
  npm run tokens -- list [--json]
                                 list the served tokens
  npm run tokens -- find <text>  search CoinGecko for coins, and list their IDs

If several tokens share a symbol, the symbol refers to the token that was added first. Running processes apply
changes within seconds. Calls to CoinGecko (two for each added ID, one for \`find\`) count toward the service's budget.
Uses DATABASE_URL, or the embedded database in DATA_DIR, even while the service is running.
Exit codes: 0 done, 1 failed, 2 wrong usage, settings or data directory.
`;

const say = (line: string) => void process.stdout.write(`${line}\n`);

/** A cause that is not listed may be temporary, so the advice is to retry. */
const ADVICE: Partial<Record<FailureCause, string>> = {
  unreachable: 'check the network, COINGECKO_URL and KRAKEN_URL',
  refused: 'check COINGECKO_API_KEY and COINGECKO_PLAN',
  over_budget: 'try again later, or raise COINGECKO_CALLS_PER_MINUTE or COINGECKO_CALLS_PER_MONTH',
};

const failureText = ({ message, reason }: UpstreamFailure) =>
  `${message} (${reason}): ${ADVICE[reason] ?? 'try again later'}`;

const withListing = <Result>(work: (listing: Listing) => Promise<Result>) =>
  withDatabase(async (database) => {
    const silent = () => undefined;
    const log = { debug: silent, info: silent, warn: silent, error: silent };
    const opened = await openListing({ settings: readSettings(), database, clock: systemClock, log });
    try {
      return await work(opened.listing);
    } catch (error) {
      throw error instanceof UpstreamFailure ? new ExitError(failureText(error), EXIT.failed, error) : error;
    } finally {
      await opened.close();
    }
  });

const SEARCH = '`npm run tokens -- find <text>` searches CoinGecko';
const SERVED = '`npm run tokens -- list` lists the served tokens';

/** @param hint how to find an ID if no ID is similar */
function refusalText({ reason, names: similar }: Refusal, hint: string): string {
  const names = similar.join(' or ');
  const texts: Record<Refusal['reason'], string> = {
    built_in: 'this token is built in and cannot be added or removed',
    too_many: `the service already has the maximum of ${MOST_SERVED.toLocaleString('en')} tokens: remove a token first`,
    unknown: `unknown id: ${names === '' ? hint : `did you mean ${names}?`}`,
    is_symbol: `this id is the symbol of ${names} and cannot be added, because clients use it to request ${names}`,
    no_symbol: 'the symbol contains spaces, commas or control characters: set another symbol with --symbol',
    no_pair: 'Kraken does not trade this pair for US dollars: use another pair, or `--kraken none`',
  };
  return texts[reason];
}

const refuse = (refusal: Refusal, hint: string) => new ExitError(refusalText(refusal, hint), EXIT.failed);

function pairText(outcome: PairOutcome, pair: string | undefined): string {
  if (outcome.kind === 'given' || outcome.kind === 'found')
    return outcome.status === 'online'
      ? `${pair} on Kraken`
      : `${pair} on Kraken, which does not currently trade the pair (${outcome.status})`;
  if (outcome.kind === 'left_out') return 'none, as requested';
  if (outcome.kind === 'not_traded') return 'none: Kraken does not trade this symbol for US dollars';
  if (outcome.kind === 'unavailable')
    return `none: Kraken is unavailable (${outcome.cause}); add the token again to find its pair`;
  if (outcome.kind === 'taken')
    return `none: Kraken's pair ${outcome.pair} is already assigned to ${outcome.by}; set another pair with --kraken`;
  const prices = `${outcome.price} on Kraken, ${outcome.wanted} on CoinGecko`;
  return `none: Kraken's pair ${outcome.pair} may be for another token (${prices}); if the pair is correct, set it with --kraken`;
}

function print({ token, isKnown, isFirstDate, pair, shared, meant }: Added): void {
  const { name, symbol, title, listed } = token;
  say(`${name}: ${title} (${symbol}), ${isKnown ? 'updated' : 'added'}`);
  say(
    `listed: ${listed}${isFirstDate ? '' : ', or earlier: the CoinGecko plan does not reach back to the first price'}`,
  );
  say(`pair: ${pairText(pair, token.pair)}`);
  if (shared.length === 0) return;
  const others = shared.map((one) => one.name).join(', ');
  say(`symbol: ${symbol} refers to ${meant.name}; ${meant.name === name ? others : name} has the same symbol`);
}

const text = { type: 'string' } as const;
const addition = { options: { symbol: text, kraken: text }, positionals: ['id'], repeats: true };

/** Adds each ID and prints the result. A failed ID does not prevent the addition of the next ID. */
async function addSeveral(listing: Listing, ids: readonly string[], pair: string | undefined): Promise<number> {
  let failed = 0;
  for (const [i, id] of ids.entries()) {
    const outcome = await listing.add({ id, pair }).catch((error: unknown) => {
      if (error instanceof UpstreamFailure) return failureText(error);
      throw error;
    });
    if (typeof outcome !== 'string' && !('reason' in outcome)) {
      print(outcome);
      continue;
    }
    failed += 1;
    const reason = typeof outcome === 'string' ? outcome : refusalText(outcome, SEARCH);
    process.stderr.write(`ID ${i + 1} of ${ids.length}: not added: ${reason}\n`);
  }
  say(`${ids.length - failed} of ${ids.length} tokens added or updated`);
  return failed > 0 ? EXIT.failed : EXIT.ok;
}

const add = command(addition, async ({ values, positionals: ids }) => {
  const symbol = values.symbol?.toLowerCase();
  if (symbol !== undefined && !isTokenSymbol(symbol))
    throw wrongUsage(
      '--symbol must have at most 50 characters and must not contain spaces, commas or control characters',
    );
  const pair = values.kraken;
  const [id = '', ...others] = ids;
  if (others.length > 0) {
    if (symbol !== undefined || (pair !== undefined && pair !== 'none'))
      throw wrongUsage('--symbol and --kraken <pair> require a single <id>: add this token with a separate command');
    return withListing((listing) => addSeveral(listing, ids, pair));
  }
  const outcome = await withListing((listing) => listing.add({ id, symbol, pair }));
  if ('reason' in outcome) throw refuse(outcome, SEARCH);
  print(outcome);
  return EXIT.ok;
});

const remove = command({ positionals: ['id'] }, async ({ positionals: [id = ''] }) => {
  const outcome = await withListing((listing) => listing.remove(id));
  if (outcome !== 'removed') throw refuse(outcome, SERVED);
  say(`${id}: removed; its stored data is kept`);
});

const list = command({ options: JSON_OPTION }, async ({ values }) => {
  const tokens = await withDatabase(({ prisma }) => createTokenStore(prisma).all());
  if (values.json) return printJson(tokens.map(({ pair = null, ...token }) => ({ ...token, pair })));
  const row = ({ name, symbol, title, listed, pair = '-' }: Token) => [name, symbol, title, listed, pair];
  process.stdout.write(alignedTable([['id', 'symbol', 'title', 'listed', 'pair'], ...tokens.map(row)]));
});

const find = command({ positionals: ['text'] }, async ({ positionals: [text = ''] }) => {
  const coins = await withListing((listing) => listing.find(text));
  if (coins.length === 0)
    throw new ExitError('no coin found: search for a part of the name or for the symbol', EXIT.failed);
  const rows = coins.map(({ id, symbol, title }) => [id, symbol, title]);
  process.stdout.write(alignedTable([['id', 'symbol', 'title'], ...rows]));
});

export const tokens: CommandLine = { name: 'tokens', usage: USAGE, commands: { add, remove, list, find } };
type Deps = { settings: Settings; database: Database; clock: Clock; log: Log };

/** Calls of the listing count toward the service's budgets. */
async function openListing({ settings, database, clock, log }: Deps) {
  const { coingecko, upstreamTimeoutMs: timeoutMs } = settings;
  const refreshes = createRefreshStore(database.prisma);
  const versions = createVersionWatcher(refreshes);
  const store = createTokenStore(database.prisma);
  const deadline = createDeadline(isDatabaseUnable);
  const catalogue = await openCatalogue({ database, deadline, versions });
  const unobserved = () => () => undefined;
  const recording = { observe: unobserved, dropped: unobserved };
  const kraken = await openKraken({ settings, refreshes, catalogue, clock, log, ...recording });
  const { budget } = coingecko;
  const { reserve } = await openBudget({ store: refreshes, upstream: 'coingecko', budget, clock });
  const coinGecko = openCoinGecko({
    ...coingecko,
    timeoutMs,
    catalogue,
    clock,
    reserve,
    breaker: createBreaker(),
    callSpacing: () => 0,
    observe: () => undefined,
    dropped: () => undefined,
  });

  const listing = createListing({ coinGecko, kraken: kraken.source, store, catalogue, clock, operator: cliOperator() });
  return {
    listing: {
      ...listing,
      /** The checks of a token need the tokens that were added before it. */
      async add(wanted: Parameters<Listing['add']>[0]) {
        await catalogue.sync();
        return listing.add(wanted);
      },
    },
    async close(): Promise<void> {
      await coinGecko.close();
      await kraken.close();
    },
  };
}
