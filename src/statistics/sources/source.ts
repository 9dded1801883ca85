import type { z } from 'zod';
import type {
  ChainSample,
  StatisticsSource,
  StatisticsSourceName,
  StatisticsSymbol,
} from '#statistics/statistics-sources';
import { UpstreamFailure } from '#upstream/failure';
import { createJsonReader, errorText } from '#upstream/transport/json-answer';
import { openUpstream, type Question, type UpstreamOptions } from '#upstream/transport/upstream';

/** What every source of statistics is opened with. */
export type StatisticsOptions = Pick<
  UpstreamOptions,
  'url' | 'timeoutMs' | 'clock' | 'reserve' | 'callSpacing' | 'observe' | 'breaker'
> & {
  /** Its kind where it is left out. */
  name?: StatisticsSourceName;
};
/** What a source that takes a key is opened with. */
export type KeyedOptions = StatisticsOptions & { apiKey?: string | undefined };

/** Asks the upstream one question of a sample; `use` takes what the body says, and throws where it cannot be used. */
export type Ask = <Body, Used = Body>(
  question: Omit<Question, 'withinMs'>,
  schema: z.ZodType<Body>,
  use?: (body: Body) => Used,
) => Promise<Used>;

type Definition = Pick<StatisticsSource, 'name' | 'figuresByToken'> & {
  options: Omit<StatisticsOptions, 'name'> & Pick<UpstreamOptions, 'headers'>;
  /** Finds the upstream's own kind of error in a body, or in a status. */
  errorIn?: Parameters<typeof createJsonReader>[1];
  /** A secret that no message repeats. */
  apiKey?: string | undefined;
  take: (ask: Ask, symbol: StatisticsSymbol) => Promise<ChainSample>;
};

/** Opens a source: all the questions of a sample share one deadline, and a chain it has no interface to is refused. */
export function openStatisticsSource(definition: Definition): StatisticsSource {
  const { name, figuresByToken, options, errorIn = errorText, apiKey, take } = definition;
  const { clock, timeoutMs } = options;
  const upstream = openUpstream({ ...options, name });
  const read = createJsonReader(name, errorIn, apiKey);

  return {
    name,
    figuresByToken,
    async sample(symbol, withinMs = timeoutMs) {
      if (!figuresByToken[symbol])
        throw new UpstreamFailure(name, 'not_listed', `does not serve ${symbol}`, { sent: false });
      const end = clock.elapsed() + Math.min(withinMs, timeoutMs);
      const ask: Ask = (question, schema, use = (body) => body as never) => {
        const left = Math.max(1, Math.ceil(end - clock.elapsed()));
        return upstream.ask({ ...question, withinMs: left }, (answer) =>
          use(read(schema, answer, clock.now())),
        );
      };
      return take(ask, symbol);
    },
    close: upstream.close,
  };
}

/** For a call that a sample can do without: undefined when the upstream refuses it, since it may not offer it. */
export async function unlessRefused<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof UpstreamFailure && error.reason === 'refused') return undefined;
    throw error;
  }
}
