import { batch, computed, signal } from '@preact/signals';
import type { StatisticsSymbol, Token, TokenStatistics } from '../../client/index.ts';
import { number, UNKNOWN } from '../../pages/format.ts';
import { type DataAge, type Result, statisticsCall } from '../api/api-call.ts';
import type { MarketData } from '../api/market-data.ts';
import type { Session } from '../api/session.ts';
import { roundMoney } from '../core/currency.ts';
import type { PanelFailure } from '../core/failures.tsx';

function statisticsSymbolOf({ symbol, endpoints }: Token): StatisticsSymbol | undefined {
  return endpoints.some((path) => path.endsWith('/latest/stats')) ? (symbol as StatisticsSymbol) : undefined;
}

/** Returns a function that finds a source's title. `solana-rpc-2` is the second source of the kind `solana-rpc`. */
function openSourceTitles({ anonymous }: Session) {
  let titles: Promise<Map<string, string>> | undefined;

  async function read(): Promise<Map<string, string>> {
    return new Map((await anonymous.sources()).map(({ name, title }) => [name, title]));
  }
  return async (name: string): Promise<string> => {
    titles ??= read();
    // If the list fails to load, the name replaces the title.
    const titlesByToken = await titles.catch(() => {
      titles = undefined;
      return new Map<string, string>();
    });
    return titlesByToken.get(name) ?? titlesByToken.get(name.replace(/-\d+$/, '')) ?? name;
  };
}

/** A label and a value, with a note below. */
export type Entry = readonly [label: string, text: string, note?: string | undefined];

/** The source of the figures, which is undefined before they are loaded, and the reason for missing figures. */
function noteOf(token: Token | undefined, symbol: StatisticsSymbol | undefined, source: string | undefined): string {
  if (token && symbol === undefined)
    return `On-chain statistics are not available, because ${token.title} does not have its own blockchain.`;
  if (!token || source === undefined) return '';
  const stake = `${token.title} has no hash rate or difficulty, because it uses proof of stake.`;
  return `Source: ${source}.${PROOF_OF_STAKE.has(symbol ?? '') ? ` ${stake}` : ''}`;
}

type Needs = { session: Session; marketData: MarketData; failure: PanelFailure };

/** The statistics of the selected token. They are loaded on request, because each token costs a call. */
export function openStatistics({ session, marketData, failure }: Needs) {
  const titleOf = openSourceTitles(session);
  const token = signal<Token | undefined>(undefined);
  const isWanted = signal(false);
  const isLoading = signal(false);
  const result = signal<Result<TokenStatistics> | undefined>(undefined);
  const source = signal('');
  /** The token of the figures. */
  let shown: Token | undefined;

  const symbol = computed(() => token.value && statisticsSymbolOf(token.value));

  const retry = async (): Promise<void> => {
    if (token.value) await show(token.value);
  };

  function start(next: Token): void {
    batch(() => {
      // Figures of another token must not appear under this token's name.
      if (shown !== next) result.value = undefined;
      isLoading.value = true;
    });
    shown = next;
  }

  async function show(next: Token, { refresh = false } = {}): Promise<void> {
    token.value = next;
    const { value: wanted } = symbol;
    if (wanted === undefined || !isWanted.value) {
      shown = undefined;
      result.value = undefined;
      failure.clear();
      return;
    }
    start(next);
    try {
      const loaded = await marketData.fetch(statisticsCall(wanted), { refresh });
      const title = await titleOf(loaded.sources[0] ?? 'the source');
      if (shown !== next) return;
      batch(() => {
        result.value = loaded;
        source.value = title;
      });
      if (loaded.failure) failure.report(loaded.failure, retry, true);
      else failure.clear();
    } catch (error) {
      if (shown !== next) return;
      result.value = undefined;
      failure.report(error, retry);
    } finally {
      if (shown === next) isLoading.value = false;
    }
  }

  return {
    failure,
    token,
    symbol,
    isWanted,
    isLoading,
    show,
    entries: computed(() => result.value && statisticsEntries(result.value.value, source.value)),
    /** The figures can be older than the response. */
    age: computed((): DataAge | undefined => result.value && { ...result.value, fetchedAt: result.value.value.time }),
    note: computed(() => noteOf(token.value, symbol.value, result.value && source.value)),
    /** The number of calls that a refresh costs. */
    cost: computed(() => (isWanted.value && symbol.value !== undefined ? 1 : 0)),
    want(): void {
      isWanted.value = true;
      void retry();
    },
  };
}

export type Statistics = ReturnType<typeof openStatistics>;

export const PROOF_OF_STAKE: ReadonlySet<string> = new Set(['eth', 'sol']);

type Figure = readonly [label: string, value: number | null, note?: string];

function miningFigures(statistics: TokenStatistics): Figure[] {
  // The API returns TH/s. The number would be too long to read.
  const exahashes = statistics.hashrate === null ? null : statistics.hashrate / 1e6;
  return [
    ['Difficulty', statistics.difficulty],
    ['Hash rate', exahashes, 'EH/s'],
  ];
}

/** Marks null figures as not provided by `source`. */
export function statisticsEntries(statistics: TokenStatistics, source: string): Entry[] {
  const isMined = !PROOF_OF_STAKE.has(statistics.symbol.toLowerCase());
  const figures: Figure[] = [
    ['Block height', statistics.block_height],
    ['Transactions', statistics.transaction_count, 'last 24 hours'],
    ['All transactions', statistics.transaction_count_all_time],
    ['Large transactions', statistics.large_transaction_count, `over ${roundMoney(100_000, 'usd')}, last 24 hours`],
    ['Average transaction', statistics.average_transaction_value, 'coins, last 24 hours'],
    ['Active addresses', statistics.active_addresses, 'last 24 hours'],
    ['New addresses', statistics.new_addresses, 'last 24 hours'],
    ['All addresses', statistics.unique_addresses_all_time],
    ['Zero-balance addresses', statistics.zero_balance_addresses_all_time],
    ['Block time', statistics.block_time, 'seconds'],
    ['Block size', statistics.block_size, 'bytes, average'],
    ...(isMined ? miningFigures(statistics) : []),
    ['Current supply', statistics.current_supply, 'coins'],
  ];
  return figures.map(([label, value, note]) =>
    value === null ? [label, UNKNOWN, `not provided by ${source}`] : [label, number(value), note],
  );
}
