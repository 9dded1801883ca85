import { type Added, type Listing, MOST_SERVED, type PairOutcome, type Refusal } from '#catalogue/listing';
import { isTokenSymbol, type Token } from '#catalogue/token';
import { createTokenStore } from '#catalogue/token-store';
import { command, JSON_OPTION, wrongUsage } from '#cli/arguments';
import type { CommandLine } from '#cli/command-line';
import { alignedTable, printJson } from '#cli/command-line';
import { withDatabase } from '#cli/configured-database';
import { EXIT, ExitError } from '#process/exit';
import { withListing } from './configured-listing.ts';

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

const SEARCH = '`npm run tokens -- find <text>` searches CoinGecko';
const SERVED = '`npm run tokens -- list` lists the served tokens';

/** @param hint how to find an ID if no ID is similar */
function refusal({ reason, names: similar }: Refusal, hint: string): ExitError {
  const names = similar.join(' or ');
  const texts: Record<Refusal['reason'], string> = {
    built_in: 'this token is built in and cannot be added or removed',
    too_many: `the service already has the maximum of ${MOST_SERVED.toLocaleString('en')} tokens: remove a token first`,
    unknown: `unknown id: ${names === '' ? hint : `did you mean ${names}?`}`,
    is_symbol: `this id is the symbol of ${names} and cannot be added, because clients use it to request ${names}`,
    no_symbol: 'the symbol contains spaces, commas or control characters: set another symbol with --symbol',
    no_pair: 'Kraken does not trade this pair for US dollars: use another pair, or `--kraken none`',
  };
  return new ExitError(texts[reason], EXIT.failed);
}

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

async function addOne(listing: Listing, wanted: Parameters<Listing['add']>[0]): Promise<void> {
  const outcome = await listing.add(wanted);
  if ('reason' in outcome) throw refusal(outcome, SEARCH);
  print(outcome);
}

/** A failed ID does not prevent the addition of the next ID. */
async function addSeveral(listing: Listing, ids: readonly string[], pair: string | undefined): Promise<number> {
  let failed = 0;
  for (const [i, id] of ids.entries()) {
    try {
      await addOne(listing, { id, pair });
    } catch (error) {
      if (!(error instanceof ExitError)) throw error;
      failed += 1;
      process.stderr.write(`ID ${i + 1} of ${ids.length}: not added: ${error.message}\n`);
    }
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
  if (others.length === 0) {
    await withListing((listing) => addOne(listing, { id, symbol, pair }));
    return EXIT.ok;
  }
  if (symbol !== undefined || (pair !== undefined && pair !== 'none'))
    throw wrongUsage('--symbol and --kraken <pair> require a single <id>: add this token with a separate command');
  return withListing((listing) => addSeveral(listing, ids, pair));
});

const remove = command({ positionals: ['id'] }, async ({ positionals: [id = ''] }) => {
  const outcome = await withListing((listing) => listing.remove(id));
  if (outcome !== 'removed') throw refusal(outcome, SERVED);
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
