import type { Token, TokenName } from '#catalogue/token';
import { SECOND } from '#core/clock';
import type { Job } from '#core/jobs';
import { createMutex } from '#core/mutex';
import { convertLatest } from '#prices/currencies/conversion';
import type { ArchiveCache } from '#prices/latest/latest-cache';
import type { StreamedPrice } from '#prices/latest/latest-records';
import type { LatestValuations } from '#prices/latest/latest-response';
import { priceOf, toRecord } from '#prices/latest/latest-rows';
import { type Currency, DOLLAR, tokenOfCurrency } from '#prices/model/currency';
import type { Backfill } from '#prices/refresh/backfill';
import { inTurns } from '#server/connections/loop-turns';
import { type EventStream, eventBytes } from '#server/responses/event-stream';

/** How often the tokens of open streams count as requested, in ms. */
const REQUEST_INTERVAL = SECOND;
/** How many streams receive an event in one turn of the event loop. This takes about a tenth of a millisecond. */
const PER_TURN = 64;

const write = (row: Row): string => {
  const price: StreamedPrice = { ...toRecord(row), source: row.latest?.sources[0]?.source ?? null };
  return JSON.stringify(price);
};

type Row = ReturnType<typeof priceOf>;
type Stream = Pick<EventStream, 'put'>;
type Named = Pick<Token, 'name' | 'symbol'>;
/** A token's newest event, and the streams that contain the token. */
type Entry = { token: Named; text: string; bytes: Buffer; streams: Set<Stream> };

type Channels = Map<Currency, Map<TokenName, Entry>>;

type Dependencies = {
  archive: Pick<ArchiveCache, 'latest' | 'series' | 'load' | 'onChange' | 'pricesVersion'>;
  valuations: LatestValuations;
  backfill: Pick<Backfill, 'latest'>;
  onError: (error: unknown) => void;
};

/** A separate function, because its closure stays in memory, and the texts of the first events must not. */
const unsubscriber = (entries: readonly Entry[], stream: Stream) => () => {
  for (const { streams } of entries) streams.delete(stream);
};

/** Updates the entries whose texts have changed, and returns their events with the streams that contain the tokens. */
function* changes(entries: ReadonlyMap<TokenName, Entry>, texts: ReadonlyMap<TokenName, string>, id: string) {
  for (const [name, text] of texts) {
    const entry = entries.get(name);
    if (entry === undefined || entry.text === text) continue;
    entry.text = text;
    entry.bytes = eventBytes('price', text, id);
    // The set is copied, because a stream that opens in the meantime receives this event when it opens.
    for (const stream of [...entry.streams]) yield { stream, name, bytes: entry.bytes };
  }
}

/** Omits prices for which no rate is known. */
async function inCurrency(
  valuations: LatestValuations,
  rows: readonly Row[],
  currency: Currency,
): Promise<readonly Row[]> {
  const records = rows.flatMap(({ latest }) => latest?.record ?? []);
  if (records.length === 0) return rows;
  const { now, usdRate } = await valuations.ofLatest(currency, records);
  return rows.flatMap((row) => {
    if (!row.latest) return [row];
    const record = convertLatest(row.latest.record, now, usdRate);
    return record ? [{ ...row, latest: { ...row.latest, record } }] : [];
  });
}

function* streamedTokens(channels: Channels): Iterable<TokenName> {
  for (const [currency, entries] of channels) {
    for (const [name, { streams }] of entries) if (streams.size > 0) yield name;
    const token = tokenOfCurrency(currency);
    if (token !== undefined && entries.values().some(({ streams }) => streams.size > 0)) yield token;
  }
}

/** Publishes changed prices, written once per currency. The archive's versions announce changes at no cost. */
export function createPublisher({ archive, valuations, backfill, onError }: Dependencies) {
  const channels: Channels = new Map();
  const inTurn = createMutex();
  let next: Promise<void> | undefined;

  /** Returns the texts of the tokens in memory, by token. Loads the other tokens for the next call. */
  async function priceEvents(tokens: readonly Named[], currency: Currency): Promise<Map<TokenName, string>> {
    const rows = tokens.flatMap((token) => (archive.load(token.name) === undefined ? [priceOf(archive, token)] : []));
    const converted = currency === DOLLAR ? rows : await inCurrency(valuations, rows, currency);
    return new Map(converted.map((row) => [row.name, write(row)]));
  }

  /** Sends the events that differ from the tokens' previous events. Drops tokens without streams. */
  async function publishTo(currency: Currency, entries: Map<TokenName, Entry>): Promise<void> {
    for (const [name, { streams }] of entries) if (streams.size === 0) entries.delete(name);
    const tokens = [...entries.values()].map(({ token }) => token);
    const id = String(archive.pricesVersion());
    const texts = await priceEvents(tokens, currency);
    await inTurns(changes(entries, texts, id), PER_TURN, ({ stream, name, bytes }) => stream.put(name, bytes));
  }

  /** Only one run publishes at a time. A queued run handles all changes that arrive before it starts. */
  function publish(): Promise<void> {
    next ??= inTurn(async () => {
      next = undefined;
      // A currency whose rate is missing or slow does not delay the other currencies.
      await Promise.all([...channels].map(([currency, entries]) => publishTo(currency, entries).catch(onError)));
    });
    return next;
  }
  archive.onChange(() => {
    if (channels.size > 0) publish().catch(onError);
  });

  /** Counts streamed tokens as requested: their prices are refreshed according to the schedule, as for other requests. */
  async function request(): Promise<void> {
    for (const name of new Set(streamedTokens(channels))) {
      // An evicted token is loaded again, which counts as a change.
      if (archive.load(name) === undefined) Promise.resolve(backfill.latest(name)).catch(onError);
    }
  }

  return {
    /** Returns the function that subscribes a stream to the tokens. The stream first receives their current prices. */
    async open(tokens: readonly Named[], currency: Currency): Promise<(stream: Stream) => () => void> {
      const entries = channels.get(currency) ?? new Map<TokenName, Entry>();
      channels.set(currency, entries);
      const version = archive.pricesVersion();
      const texts = await priceEvents(tokens, currency);

      return (stream) => {
        const subscribed = tokens.flatMap((token) => {
          const { name } = token;
          const text = texts.get(name);
          if (text !== undefined && !entries.has(name))
            entries.set(name, { token, text, bytes: eventBytes('price', text, String(version)), streams: new Set() });
          return entries.get(name) ?? [];
        });
        for (const { token, bytes, streams } of subscribed) {
          streams.add(stream);
          stream.put(token.name, bytes);
        }
        // The texts do not contain a change that was made while the prices were converted.
        if (archive.pricesVersion() !== version) publish().catch(onError);
        return unsubscriber(subscribed, stream);
      };
    },

    request,
    job: { name: 'price stream', every: REQUEST_INTERVAL, run: request } satisfies Job,
  };
}

export type Publisher = ReturnType<typeof createPublisher>;
