import type { z } from 'zod';
import { type Clock, SECOND } from '#core/clock';
import { FIGURES, type Figure } from '#statistics/figures';
import { tokenStatistics } from '#statistics/records';
import type {
  ChainSample,
  StatisticsKind,
  StatisticsSource,
  StatisticsSourceName,
  StatisticsSymbol,
} from '#statistics/statistics-sources';
import { UpstreamFailure } from '#upstream/failure';
import { createJsonReader, errorText, type ReportedError } from '#upstream/transport/json-answer';
import { openUpstream, type UpstreamOptions, type UpstreamRequest } from '#upstream/transport/upstream';

export type StatisticsOptions = Pick<
  UpstreamOptions,
  'url' | 'timeoutMs' | 'clock' | 'reserve' | 'callSpacing' | 'observe' | 'breaker'
> & {
  name?: StatisticsSourceName;
  /** The API key. No message repeats it. */
  apiKey?: string | undefined;
};

/** Sends one of a sample's requests. `use` converts the body, and throws if the body is unusable. */
type SourceSend = <Body, Used = Body>(
  request: Omit<UpstreamRequest, 'withinMs'>,
  schema: z.ZodType<Body>,
  use?: (body: Body) => Used,
) => Promise<Used>;

type Sampling = { name: StatisticsSourceName; symbol: StatisticsSymbol; clock: Clock };

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
        const send: SourceSend = (request, schema, use = (body) => body as never) => {
          const left = Math.max(1, Math.ceil(end - clock.elapsed()));
          return upstream.send({ ...request, withinMs: left }, (answer) => use(read(schema, answer, clock.now())));
        };
        return take(send, { name, symbol, clock });
      },
      close: upstream.close,
    };
  };

/** For an optional call. Returns undefined if the source rejects the call, because it may not support the call. */
export async function unlessRefused<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof UpstreamFailure && error.reason === 'refused') return undefined;
    throw error;
  }
}

/** A comment on a rule names the field, its unit or the conversion. Figures without a rule are not reported. */
export type FigureRules<Answer> = Partial<Record<Figure, (answer: Answer) => number | null | undefined>>;

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

/** `at` is in Unix ms. Throws `UpstreamFailure`: `unexpected` for an implausible figure, `empty` without any figure. */
export function sampleOf<Answer>(
  upstream: string,
  rules: FigureRules<Answer>,
  answer: Answer,
  at: number,
): ChainSample {
  const figures: ChainSample['figures'] = {};
  for (const figure of FIGURES) {
    const value = rules[figure]?.(answer) ?? null;
    if (value === null || (value === 0 && NEVER_ZERO.has(figure))) continue;
    // The published record defines which figures are integers.
    if (value < 0 || !tokenStatistics.shape[figure].safeParse(value).success) {
      throw new UpstreamFailure(upstream, 'unexpected', `${figure} is implausible: ${value}`);
    }
    figures[figure] = value;
  }
  if (Object.keys(figures).length === 0) throw new UpstreamFailure(upstream, 'empty', 'the response has no figures');
  return { at: Math.floor(at / SECOND) * SECOND, figures };
}
