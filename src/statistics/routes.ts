import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Send } from '#server/replies/write-answer';
import { tokenStatistics } from '#statistics/records';
import { countedFigures } from './daily-difference.ts';
import { FIGURES, type Figure } from './figures.ts';
import type { Statistics } from './statistics.ts';
import { STATISTICS_SYMBOLS, type StatisticsSource, type StatisticsSymbol } from './statistics-sources.ts';

const TOKEN_FIX = `one of ${STATISTICS_SYMBOLS.join(', ')}`;
const statisticsToken = z
  .string()
  .transform((value) => value.toLowerCase())
  .pipe(z.enum(STATISTICS_SYMBOLS, 'is not one of those there are'))
  .meta({
    description: 'The token, by its symbol; upper and lower case do not matter',
    fix: TOKEN_FIX,
    wire: { type: 'string', enum: STATISTICS_SYMBOLS, examples: ['btc'] },
  }) as z.ZodType<StatisticsSymbol, string>;

/** Statistics are in US dollars only: a client that asks for euros must not take dollars for euros. */
const usd = z
  .string()
  .transform((value) => value.toLowerCase())
  .refine((value) => value === 'usd', 'is a currency that statistics are not told in')
  .optional()
  .meta({
    description: 'Statistics are told in US dollars alone; upper and lower case do not matter',
    fix: 'usd, or leave it out',
    wire: { type: 'string', enum: ['usd'], examples: ['usd'] },
  });

const dollarsAlone = { currency: usd, vs_currency: usd };
type Told = readonly Pick<StatisticsSource, 'name' | 'figuresByToken'>[];
const listed = (figures: readonly Figure[]) => figures.map((figure) => `\`${figure}\``).join(', ');

function item(name: string, tells: readonly Figure[]): string {
  const counted: readonly Figure[] = countedFigures(tells);
  const missing = FIGURES.filter((figure) => !tells.includes(figure) && !counted.includes(figure));
  const parts = missing.length + counted.length > 0 ? [`tells ${listed(tells)}`] : ['tells every figure'];
  if (counted.length > 0) parts.push(`counted here over a day: ${listed(counted)}`);
  if (missing.length > 0) parts.push(`null: ${listed(missing)}`);
  return `  * \`${name}\` ${parts.join('; ')}.`;
}

/** Generated from the sources' own figures, so that it stays current. */
function description(sources: Told): string {
  const chains = STATISTICS_SYMBOLS.map((symbol) => {
    const items = sources.flatMap(({ name, figuresByToken }) =>
      figuresByToken[symbol] ? [item(name, figuresByToken[symbol])] : [],
    );
    return [`* \`${symbol}\``, ...items].join('\n');
  });
  return `Fetched once an hour at most, from the first of the token's sources that tells: \`Quotient-Source\` names \
it. While none can be asked, the last good answer is given, with its \`Age\`. JSON is given whatever \`Accept\` says.

A figure that the source does not tell is null. A figure that is counted here is the difference between two samples of \
the same source, a day apart give or take half an hour; it is not scaled, and null until there are two. \`cryptocompare\` \
is asked where the operator has a key for it, and lists the chain. Where there are several sources of a kind, the second \
is named with \`-2\`, as in \`solana-rpc-2\`, and tells the same.

${chains.join('\n')}`;
}

const latest = {
  tags: ['statistics'],
  summary: 'Read the latest on-chain statistics of a token',
  operationId: 'getStatistics',
  querystring: z.object({ token: statisticsToken, ...dollarsAlone }),
  response: { 200: tokenStatistics },
};

const config = {
  cost: 1,
  scope: 'prices',
  problems: ['upstream_invalid', 'upstream_unavailable', 'upstream_timeout'],
} as const;

type Options = { statistics: Statistics; sources: Told; send: Send };

export const stats: FastifyPluginAsyncZod<Options> = async (app, { statistics, sources, send }) => {
  const schema = { ...latest, description: description(sources) };
  app.get('/stats', { schema, config }, (request, reply) =>
    send(request, reply, statistics.latest(request.query.token)),
  );
};
