import { z } from 'zod';
import { type Clock, SECOND } from '#core/clock';
import { FIGURES, type Figure, tokenStatistics } from '#statistics/statistics-records';
import type {
  ChainSample,
  StatisticsKind,
  StatisticsSource,
  StatisticsSourceName,
  StatisticsSymbol,
} from '#statistics/statistics-sources';
import { FAILURE_CAUSES, type FailureCause, UpstreamFailure } from '#upstream/failures/failure';
import { readItems } from '#upstream/items/items';
import { createJsonReader, errorText, type ReportedError } from '#upstream/transport/json-response';
import { openUpstream, type SourceOptions, type UpstreamRequest } from '#upstream/transport/upstream';

export type StatisticsOptions = SourceOptions & {
  name?: StatisticsSourceName;
  /** The API key. No message repeats it. */
  apiKey?: string | undefined;
};

/** Sends one of a sample's requests. `use` converts the body, and throws if the body is unusable. */
type SourceSend<Failed = never> = <Body, Used = Body>(
  request: Omit<UpstreamRequest, 'withinMs'>,
  schema: z.ZodType<Body>,
  use?: (body: Body) => Used,
) => Promise<Used | Failed>;

/** If an optional method is missing on a public node or fails, this does not describe the state of the node. */
const OPTIONAL_FAILURES: ReadonlySet<FailureCause> = new Set(
  FAILURE_CAUSES.filter((cause) => cause !== 'unreachable' && cause !== 'rate_limited'),
);
/** The source was not called. Ignoring such a failure would look as if the source did not report the figures. */
const NOT_CALLED: ReadonlySet<FailureCause> = new Set(['resting', 'over_budget']);

type Sampling = {
  name: StatisticsSourceName;
  symbol: StatisticsSymbol;
  clock: Clock;
  /** Sends a request for figures that a sample can lack. Resolves with undefined if the request fails. */
  sendOptional: SourceSend<undefined>;
};

type Definition = Pick<StatisticsSource, 'figuresByToken'> & {
  kind: StatisticsKind;
  authorization?: (apiKey: string) => string;
  /** Extracts an error in the source's own format from a body or a status. */
  errorIn?: (body: unknown, status: number, hasKey: boolean) => ReportedError | undefined;
  take: (send: SourceSend, sampling: Sampling) => Promise<ChainSample>;
};

/** Defines a source. A sample's requests share one deadline. A chain that the source does not serve is rejected. */
export const statisticsSource =
  ({ kind, figuresByToken, authorization, errorIn = errorText, take }: Definition) =>
  ({ name = kind, apiKey, ...options }: StatisticsOptions): StatisticsSource => {
    const { clock, timeoutMs } = options;
    const headers: Record<string, string> = apiKey && authorization ? { authorization: authorization(apiKey) } : {};
    const upstream = openUpstream({ ...options, name, headers });
    const read = createJsonReader(name, (body, status) => errorIn(body, status, Boolean(apiKey)), apiKey);

    return {
      name,
      figuresByToken,
      async sample(symbol, withinMs = timeoutMs) {
        if (!figuresByToken[symbol])
          throw new UpstreamFailure(name, 'not_listed', `does not serve ${symbol}`, { sent: false });
        const end = clock.elapsed() + Math.min(withinMs, timeoutMs);
        const sendWithin = <Body, Used>(
          share: number,
          request: Omit<UpstreamRequest, 'withinMs'>,
          schema: z.ZodType<Body>,
          use: (body: Body) => Used = (body) => body as never,
        ): Promise<Used> => {
          const withinMs = Math.max(1, Math.ceil((end - clock.elapsed()) * share));
          return upstream.send({ ...request, withinMs }, (response) => use(read(schema, response, clock.now())));
        };
        const send: SourceSend = (...parameters) => sendWithin(1, ...parameters);
        // An optional request that hangs uses at most half of the remaining time.
        const sendOptional: SourceSend<undefined> = async (request, schema, use) => {
          try {
            return await sendWithin(0.5, { ...request, ownFailures: OPTIONAL_FAILURES }, schema, use);
          } catch (error) {
            if (error instanceof UpstreamFailure && !NOT_CALLED.has(error.reason)) return undefined;
            throw error;
          }
        };
        return take(send, { name, symbol, clock, sendOptional });
      },
      close: upstream.close,
    };
  };

/** A reported figure: NaN if malformed, so that only this figure is lacking, and null if missing. */
export const figure = (schema: z.ZodType<number>) =>
  z
    .unknown()
    .optional()
    .transform((value) => (value == null ? null : (schema.safeParse(value).data ?? Number.NaN)));

/** The readable elements of a list with at most `most` elements. Fails if no element can be read. */
export const readableList = <T extends object>(element: z.ZodType<T>, most: number) =>
  z
    .array(z.unknown())
    .max(most)
    .transform((elements, context) => {
      const { accepted } = readItems<T>(elements, { read: (item) => element.safeParse(item).data ?? 'malformed' });
      if (accepted.length > 0 || elements.length === 0) return accepted;
      context.addIssue({ code: 'custom', message: 'no readable element' });
      return z.NEVER;
    });

/** A comment on a rule names the field, its unit or the conversion. Figures without a rule are not reported. */
export type FigureRules<DataResponse> = Partial<Record<Figure, (response: DataResponse) => number | null | undefined>>;

export const reportedFigures = (rules: FigureRules<never>): readonly Figure[] =>
  FIGURES.filter((figure) => figure in rules);

/** Rounds a mean that is published as an integer. */
export const rounded = (figure: number | null | undefined) => (figure == null ? null : Math.round(figure));

/** Figures that are above zero on every chain that has them. A reported 0 means an unknown value and is dropped. */
const NEVER_ZERO: ReadonlySet<Figure> = new Set<Figure>([
  'unique_addresses_all_time',
  'block_height',
  'hashrate',
  'difficulty',
  'block_time',
  'block_size',
  'current_supply',
  'transaction_count',
  'transaction_count_all_time',
]);

/** A malformed figure does not affect the others. `at` is in Unix ms. Throws `UpstreamFailure` without any figure. */
export function sampleOf<DataResponse>(
  upstream: string,
  rules: FigureRules<DataResponse>,
  response: DataResponse,
  at: number,
): ChainSample {
  const figures: ChainSample['figures'] = {};
  const malformed: Figure[] = [];
  for (const figure of FIGURES) {
    const value = rules[figure]?.(response) ?? null;
    if (value === null || (value === 0 && NEVER_ZERO.has(figure))) continue;
    // The published record defines which figures are integers.
    if (value >= 0 && tokenStatistics.shape[figure].safeParse(value).success) figures[figure] = value;
    else malformed.push(figure);
  }
  if (Object.keys(figures).length === 0) {
    if (malformed.length === 0) throw new UpstreamFailure(upstream, 'empty', 'the response has no figures');
    throw new UpstreamFailure(upstream, 'unexpected', `no usable figure: ${malformed.join(', ')}`);
  }
  return { at: Math.floor(at / SECOND) * SECOND, figures, ...(malformed.length > 0 && { malformed }) };
}
