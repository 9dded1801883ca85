import { type Added, type Listing, MOST_SERVED, type PairOutcome, type Refusal } from '#catalogue/listing';
import { openListing } from '#catalogue/open-listing';
import { isTokenSymbol, type Token } from '#catalogue/token';
import { createTokenStore } from '#catalogue/token-store';
import { type CommandLine, readArguments, withDatabase, wrongUsage } from '#cli/command-line';
import { alignedTable } from '#cli/table';
import { systemClock } from '#core/clock';
import { EXIT, ExitError } from '#process/exit';
import { readSettings } from '#settings';
import { UpstreamFailure } from '#upstream/failure';

const USAGE = `Manages the tokens that are served, ${MOST_SERVED.toLocaleString('en')} at most.

  npm run tokens -- add <id> [--symbol <symbol>] [--kraken <pair>|none]
                                 serve a coin of CoinGecko, by its id there; candles and prices of Kraken where it
                                 trades it for US dollars. Again, to have its facts looked up anew
  npm run tokens -- remove <id>  no longer; what is stored of it stays, for the day it is added again
  npm run tokens -- list [--json]
  npm run tokens -- find <text>  the coins of CoinGecko that a text may mean, and their ids

Of several tokens with one symbol, the symbol stands for the one that was added first. Running processes take
changes over within seconds. The calls to CoinGecko (two for \`add\`, one for \`find\`) come from the service's budget.
Uses DATABASE_URL, or the embedded database in DATA_DIR, also while the service runs.
Exit codes: 0 done, 1 failed, 2 wrong usage.
`;

const say = (line: string) => void process.stdout.write(`${line}\n`);

/** Runs some work with what adds tokens; what an upstream failed at is one line. */
const withListing = <Result>(work: (listing: Listing) => Promise<Result>) =>
  withDatabase(async (database) => {
    const silent = () => undefined;
    const log = { debug: silent, info: silent, warn: silent, error: silent };
    const opened = await openListing({ settings: readSettings(), database, clock: systemClock, log });
    try {
      return await work(opened.listing);
    } catch (error) {
      if (error instanceof UpstreamFailure)
        throw new ExitError(`${error.message} (${error.reason})`, EXIT.failed, error);
      throw error;
    } finally {
      await opened.close();
    }
  });

const HINT = '`npm run tokens -- find <text>` looks for it';

function refusalText({ why, told }: Refusal): string {
  const names = told.join(' or ');
  const texts: Record<Refusal['why'], string> = {
    built_in: 'this token is built in: it is always served, as it is',
    too_many: `${MOST_SERVED.toLocaleString('en')} tokens are served, which is the most: remove one first`,
    unknown: names === '' ? `there is no such id: ${HINT}` : `there is no such id: do you mean ${names}?`,
    is_symbol: `its id is the symbol of ${names}, and callers who give it mean that one`,
    no_symbol: 'its symbol has spaces, commas or control characters: give another one with --symbol',
    no_pair: 'Kraken has no such pair against US dollars',
  };
  return texts[why];
}

const refuse = (refusal: Refusal) => new ExitError(refusalText(refusal), EXIT.failed);

function pairText(outcome: PairOutcome, pair: string | undefined): string {
  if (outcome.kind === 'given' || outcome.kind === 'found')
    return outcome.status === 'online'
      ? `${pair} of Kraken`
      : `${pair} of Kraken, which is not traded now (${outcome.status})`;
  if (outcome.kind === 'left_out') return 'none, as asked for';
  if (outcome.kind === 'not_traded') return 'none: Kraken does not trade its symbol for US dollars';
  if (outcome.kind === 'not_asked')
    return `none: Kraken could not be asked (${outcome.cause}); add it again for its pair`;
  if (outcome.kind === 'taken')
    return `none: ${outcome.pair} of Kraken is that of ${outcome.by}; name another with --kraken`;
  const prices = `${outcome.price} there, ${outcome.wanted} by CoinGecko`;
  return `none: ${outcome.pair} of Kraken seems to be of another token (${prices}); name it with --kraken if it is this one`;
}

function tell({ token, isKnown, isFirstDate, pair, shared, meant }: Added): void {
  const { name, symbol, title, listed } = token;
  say(`${name}: ${title} (${symbol}), ${isKnown ? 'looked up anew' : 'added'}`);
  say(
    `listed: ${listed}${isFirstDate ? '' : ', or before: the plan does not reach back to its first price'}`,
  );
  say(`pair: ${pairText(pair, token.pair)}`);
  if (shared.length === 0) return;
  const others = shared.map((one) => one.name).join(', ');
  say(
    `symbol: ${symbol} stands for ${meant.name}; others are called so too: ${meant.name === name ? others : name}`,
  );
}

async function add(args: readonly string[]): Promise<number> {
  const text = { type: 'string' } as const;
  const form = { options: { symbol: text, kraken: text }, positionals: ['id'] } as const;
  const { values, positionals } = readArguments(args, form);
  const [id = ''] = positionals;
  const symbol = values.symbol?.toLowerCase();
  if (symbol !== undefined && !isTokenSymbol(symbol))
    throw wrongUsage('--symbol must have no spaces, commas or control characters, and 50 characters at most');
  const outcome = await withListing((listing) => listing.add({ id, symbol, pair: values.kraken }));
  if ('why' in outcome) throw refuse(outcome);
  tell(outcome);
  return EXIT.ok;
}

async function remove(args: readonly string[]): Promise<number> {
  const { positionals } = readArguments(args, { options: {}, positionals: ['id'] });
  const [id = ''] = positionals;
  const outcome = await withListing((listing) => listing.remove(id));
  if (outcome !== 'removed') throw refuse(outcome);
  say(`${id}: removed; what is stored of it stays`);
  return EXIT.ok;
}

async function list(args: readonly string[]): Promise<number> {
  const form = { options: { json: { type: 'boolean', default: false } }, positionals: [] } as const;
  const { json } = readArguments(args, form).values;
  const tokens = await withDatabase(({ prisma }) => createTokenStore(prisma).all());
  if (json) {
    say(
      JSON.stringify(
        tokens.map(({ pair = null, ...token }) => ({ ...token, pair })),
        null,
        2,
      ),
    );
    return EXIT.ok;
  }
  const row = ({ name, symbol, title, listed, pair = '-' }: Token) => [name, symbol, title, listed, pair];
  process.stdout.write(alignedTable([['id', 'symbol', 'title', 'listed', 'pair'], ...tokens.map(row)]));
  return EXIT.ok;
}

async function find(args: readonly string[]): Promise<number> {
  const { positionals } = readArguments(args, { options: {}, positionals: ['text'] });
  const [text = ''] = positionals;
  const coins = await withListing((listing) => listing.find(text));
  if (coins.length === 0) throw new ExitError('CoinGecko finds no coin for it', EXIT.failed);
  const rows = coins.map(({ id, symbol, title }) => [id, symbol, title]);
  process.stdout.write(alignedTable([['id', 'symbol', 'title'], ...rows]));
  return EXIT.ok;
}

export const tokens: CommandLine = { usage: USAGE, commands: { add, remove, list, find } };
