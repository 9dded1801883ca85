import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Send } from '#server/responses/fast-path';
import { countedFigures } from './daily-difference.ts';
import type { Statistics } from './statistics.ts';
import { FIGURES, type Figure, tokenStatistics } from './statistics-records.ts';
import { STATISTICS_SYMBOLS, type StatisticsSource, type StatisticsSymbol } from './statistics-sources.ts';

const TOKEN_FIX = `one of ${STATISTICS_SYMBOLS.join(', ')}`;
export const statisticsToken = z
  .string()
  .transform((value) => value.toLowerCase())
  .pipe(z.enum(STATISTICS_SYMBOLS, 'must be a supported token'))
  .meta({
    description: 'The token symbol, case-insensitive',
    fix: TOKEN_FIX,
    wire: { type: 'string', enum: STATISTICS_SYMBOLS, examples: ['btc'] },
  }) as z.ZodType<StatisticsSymbol, string>;

/** Rejects other currencies, because a client that requests euros must not mistake dollars for euros. */
export const usd = z
  .string()
  .transform((value) => value.toLowerCase())
  .refine((value) => value === 'usd', 'must be a supported currency')
  .optional()
  .meta({
    description: 'The currency, case-insensitive. Only `usd` is supported.',
    fix: 'usd, or omit the parameter',
    wire: { type: 'string', enum: ['usd'], examples: ['usd'] },
  });

const dollarsOnly = { currency: usd, vs_currency: usd };
type ListedSources = readonly Pick<StatisticsSource, 'name' | 'figuresByToken'>[];
const listed = (figures: readonly Figure[]) => figures.map((figure) => `\`${figure}\``).join(', ');

function item(name: string, reported: readonly Figure[]): string {
  const counted: readonly Figure[] = countedFigures(reported);
  const missing = FIGURES.filter((figure) => !reported.includes(figure) && !counted.includes(figure));
  const parts = missing.length + counted.length > 0 ? [`reports ${listed(reported)}`] : ['reports all statistics'];
  if (counted.length > 0) parts.push(`computed over a day: ${listed(counted)}`);
  if (missing.length > 0) parts.push(`null: ${listed(missing)}`);
  return `  * \`${name}\` ${parts.join('; ')}.`;
}

/** Generated from the figures that the sources declare, so that the description stays current. */
function description(sources: ListedSources): string {
  const chains = STATISTICS_SYMBOLS.map((symbol) => {
    const items = sources.flatMap(({ name, figuresByToken }) =>
      figuresByToken[symbol] ? [item(name, figuresByToken[symbol])] : [],
    );
    return [`* \`${symbol}\``, ...items].join('\n');
  });
  return `The service queries the sources of a token in order and returns the statistics of the first source that responds. \`Quotient-Source\` names this source. Statistics are fetched at most once an hour. A record that is older than three hours (from \`cryptocompare\`, three days) is not served while another source has a newer record. If all sources fail, the last valid record is served, and \`Age\` states its age. The response is always JSON.

Statistics that the source does not report are null, and \`reasons\` states why. Some statistics are computed: they are the difference between two samples from the same source, taken 24 hours apart (±30 minutes). A computed statistic is null until both samples exist. The source \`cryptocompare\` is used only if the operator has configured a key and CryptoCompare lists the chain. If several sources of one kind are configured, their names are numbered, as in \`solana-rpc-2\`. They report the same statistics.

${chains.join('\n')}`;
}

const latest = {
  tags: ['statistics'],
  summary: 'Read the latest on-chain statistics for a token',
  operationId: 'getStatistics',
  querystring: z.object({ token: statisticsToken, ...dollarsOnly }),
  response: { 200: tokenStatistics },
};

const config = {
  cost: 1,
  scope: 'prices',
  problems: ['upstream_invalid', 'upstream_unavailable', 'upstream_timeout'],
} as const;

type Options = { statistics: Statistics; sources: ListedSources; send: Send };

export const stats: FastifyPluginAsyncZod<Options> = async (app, { statistics, sources, send }) => {
  const schema = { ...latest, description: description(sources) };
  app.get('/stats', { schema, config }, (request, reply) =>
    send(request, reply, statistics.latest(request.query.token)),
  );
};
