import { z } from 'zod';
import { SECOND } from '#core/clock';
import { mapNames } from '#core/names';
import { FIGURES } from '#statistics/statistics-records';
import { figuresOf, STATISTICS_SYMBOLS, type StatisticsSymbol } from '#statistics/statistics-sources';
import { type FailureCause, UpstreamFailure } from '#upstream/failures/failure';
import { instant, maybe, numberOrNumericString, type ReportedError, whole } from '#upstream/transport/json-response';
import { type FigureRules, figure, rounded, sampleOf, statisticsSource } from './source.ts';

const OVER_RATE_LIMIT = 99;

/** Errors have two formats. The older format comes with HTTP 200; the newer format comes with an error status. */
const olderError = z.object({
  Response: z.literal('Error'),
  Message: z.string().optional(),
  Type: z.number().optional(),
  ParamWithError: z.string().optional(),
});
const newerError = z.object({
  Err: z.object({
    type: z.number().optional(),
    message: z.string(),
    other_info: z.object({ param: z.string().optional() }).nullish().catch(undefined),
  }),
});
const nothingInIt = z.object({ Data: z.strictObject({}) });
type Words = { type: number | undefined; message: string; parameter: string | undefined };

/** `fsym` is always well-formed, so an error about it means that the chain is not listed. */
function causeOf({ type, message, parameter }: Words): FailureCause {
  if (type === OVER_RATE_LIMIT) return 'rate_limited';
  const isUnknown = parameter === 'fsym' || /there is no data for the symbol/i.test(message);
  return isUnknown ? 'not_listed' : 'refused';
}

function wordsIn(body: unknown): Words | undefined {
  const { data: older } = olderError.safeParse(body);
  if (older) {
    const { Type: type, Message: message = `type ${type}`, ParamWithError: parameter } = older;
    return { type, message, parameter };
  }
  const { data: newer } = newerError.safeParse(body);
  return newer && { ...newer.Err, type: newer.Err.type, parameter: newer.Err.other_info?.param };
}

function errorIn(body: unknown): ReportedError | undefined {
  const words = wordsIn(body);
  if (words) return { message: words.message, cause: causeOf(words) };
  return nothingInIt.safeParse(body).success ? { message: 'an empty record', cause: 'empty' } : undefined;
}

/** Limits the text that is logged or stored. */
const shortText = z.string().regex(/^[ -~]{0,50}$/, 'is not a short text');

const figures = mapNames(FIGURES, () => figure(numberOrNumericString));
const record = z.object({
  id: maybe(whole).catch(null),
  time: instant(SECOND),
  symbol: shortText,
  partner_symbol: maybe(shortText).catch(null),
  ...figures,
});
const latestResponse = z.object({ Data: record });
type Latest = z.infer<typeof record>;

/** The source uses the same names and units as this service (min-api.cryptocompare.com/documentation). */
const rulesOf = (symbol: StatisticsSymbol): FigureRules<Latest> => ({
  ...Object.fromEntries(figuresOf(symbol).map((name) => [name, (latest: Latest) => latest[name]])),
  // A mean, which may be fractional.
  block_size: ({ block_size }) => rounded(block_size),
});

/**
 * CryptoCompare (CoinDesk Data), `GET /data/blockchain/latest`. The list of its chains changes, so every chain is
 * requested. A chain that is not listed fails with `not_listed`. The sample's time is the record's time, 00:00 UTC.
 */
export const openCryptoCompare = statisticsSource({
  kind: 'cryptocompare',
  figuresByToken: Object.fromEntries(STATISTICS_SYMBOLS.map((symbol) => [symbol, figuresOf(symbol)])),
  authorization: (apiKey) => `Apikey ${apiKey}`,
  errorIn,
  take(send, { name, symbol }) {
    const fsym = symbol.toUpperCase();
    const request = { path: '/data/blockchain/latest', query: { fsym } };
    return send(request, latestResponse, ({ Data: latest }) => {
      if (latest.symbol.toUpperCase() !== fsym) {
        throw new UpstreamFailure(name, 'unexpected', `${latest.symbol} instead of ${fsym}`);
      }
      const sample = sampleOf(name, rulesOf(symbol), latest, latest.time);
      if (latest.id != null) sample.id = latest.id;
      if (latest.partner_symbol) sample.partnerSymbol = latest.partner_symbol;
      return sample;
    });
  },
});
