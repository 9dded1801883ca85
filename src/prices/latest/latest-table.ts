import type { Token, TokenName } from '#catalogue/token';
import { DAY, MINUTE } from '#core/clock';
import type { ArchiveCache } from '#prices/archive/archive-cache';
import type { ToldLatest } from '#prices/archive/latest-prices';
import { DOLLAR } from '#prices/model/currency';
import { NO_FIGURES, type PointSeries, samplesOf } from '#prices/model/sample';
import type { Answer } from '#server/cache/answer-body';
import type { LatestAnswers } from './latest-answer.ts';
import { versionOf } from './latest-answer.ts';
import type { TokenPrice } from './records.ts';

/** How far from 24 hours earlier the other sample may be, in ms. */
const TOLERANCE = 30 * MINUTE;

/**
 * How much a price (at an instant, Unix ms) has changed since the sample nearest to 24 hours before it, in per cent,
 * whichever series has it; of two of a series that are as near, the earlier. Null where none that has a price is within half an hour of that.
 */
export function dayChange(
  series: readonly Pick<PointSeries, 'slice'>[],
  price: number,
  at: number,
): number | null {
  const dayBefore = at - DAY;
  let before: number | null = null;
  let nearest = Number.POSITIVE_INFINITY;
  const slices = series.map((one) => one.slice(dayBefore - TOLERANCE, dayBefore + TOLERANCE));
  for (const sample of slices.flatMap((slice) => [...samplesOf(slice)])) {
    const distance = Math.abs(sample.at - dayBefore);
    if (!sample.price || distance >= nearest) continue;
    before = sample.price;
    nearest = distance;
  }
  return before === null ? null : ((price - before) / before) * 100;
}

type Named = Pick<Token, 'name' | 'symbol'>;
type Row = Named & { told: ToldLatest | undefined; change: number | null };

const versionOfAll = (rows: readonly Row[]): string =>
  rows.map(({ symbol, told, change }) => [symbol, told && versionOf(told), change].join()).join(';');

export function toRecord({ name, symbol, told, change }: Row): TokenPrice {
  const named = { tokenName: name, symbol };
  if (!told) return { ...named, at: null, change_24h: null, ...NO_FIGURES };
  return { ...named, at: new Date(told.at).toUTCString(), change_24h: change, ...told.record };
}

const write = (rows: readonly Row[]): string => JSON.stringify(rows.map(toRecord));

type Archive = Pick<ArchiveCache, 'latest' | 'series'>;

/** What the archive has of a token now. The change is that between samples of the series that charts are made of, in dollars. */
export function priceOf(archive: Archive, { name, symbol }: Named): Row {
  const told = archive.latest(name);
  const series = [archive.series(name, 'minute'), archive.series(name, 'hour')];
  const change = told ? dayChange(series, told.record.current_price, told.at) : null;
  return { name, symbol, told, change };
}

type Dependencies = { archive: Archive; latestAnswer: LatestAnswers };

/** The latest prices of several tokens in one answer. */
export function createLatestTable({ archive, latestAnswer }: Dependencies) {
  /** In the order of the tokens. One without a price has nulls; where none has one, it throws a problem. */
  return function latestTable(tokens: readonly Named[], currency = DOLLAR): Answer | Promise<Answer> {
    const names = tokens.map(({ name }) => name);
    const question = `latest ${currency} ${names.join()}`;
    const read = () => tokens.map((token) => priceOf(archive, token));
    return latestAnswer({ question, tokens: names, read, versionOf: versionOfAll, write }, currency);
  };
}

/** The latest price record of a token, in dollars or in another currency. */
export function createLatestPrice({ archive, latestAnswer }: Dependencies) {
  return function latestPrice(token: TokenName, currency = DOLLAR): Answer | Promise<Answer> {
    return latestAnswer(
      {
        question: currency === DOLLAR ? token : `${token},${currency}`,
        tokens: [token],
        read: () => [{ told: archive.latest(token) }],
        versionOf: ([{ told } = { told: undefined }]) => (told ? versionOf(told) : ''),
        write: ([row]) => JSON.stringify(row?.told?.record),
      },
      currency,
    );
  };
}
