import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Catalogue } from '#catalogue/catalogue';
import type { LatestPrices } from '#prices/latest/latest-response';
import type { Currency } from '#prices/model/currency';
import {
  callsFor,
  currencyOf,
  currencyParameters,
  inOneCurrency,
  MAX_TOKENS,
  TOKENS_PER_CALL,
  tokenNames,
} from '#prices/parameters';
import { successorsIn } from '#prices/successors';
import type { Gate } from '#server/gate';
import { type OpenStreams, STREAM_LIMITS } from '#server/responses/open-streams';
import type { Publisher } from './publisher.ts';
import { streamTicket } from './stream-records.ts';

const PRICE = `one call for every ${TOKENS_PER_CALL} tokens, rounded up, per started minute`;

const EXAMPLE = `retry: 3250

event: price
id: 4711
data: {"tokenName":"bitcoin","symbol":"btc","current_price":84210.5,"source":"coingecko"}

:

event: problem
data: {"type":"/docs/problems#quota_exceeded","title":"Quota exceeded","status":429,"code":"quota_exceeded","retryAfter":3600}

`;

/** The schema of the data of a `price` event: OpenAPI 3.1 has no keyword for the events of a stream. */
const PRICE_DATA = {
  contentMediaType: 'application/json',
  contentSchema: { $ref: '#/components/schemas/StreamedPrice' },
};

const stream = {
  tags: ['prices'],
  summary: 'Stream the latest prices of several tokens as they change',
  description:
    'Server-sent events. The stream starts with one `price` event for each token. Afterwards, each change of a price is ' +
    'sent as one event. The `data` is a `StreamedPrice` in JSON, and the `id` is the version of the stored ' +
    'prices. A slow reader receives only the newest price of each token, and a reader that accepts no data for 30 ' +
    'seconds is disconnected. A ' +
    `comment line is sent every 15 seconds. Accepts up to ${MAX_TOKENS} tokens. Costs ${PRICE}. If a minute cannot be ` +
    'charged, or the key expires, is revoked or loses the scope `prices`, the service sends an event `problem` and ends ' +
    'the stream. Its `data` is a problem; `retryAfter` is the number of seconds to wait. `Last-Event-ID` is accepted, ' +
    'but changes nothing, because a stream always starts with the current prices. A user can have ' +
    `${STREAM_LIMITS.perUser} open streams on each process of the service. \`EventSource\` in browsers cannot send ` +
    'headers: use a URL key, or request a ticket first.',
  operationId: 'streamPrices',
  response: {
    200: {
      description: 'A stream of events `price` and `problem`, until the client or the service ends it',
      content: {
        'text/event-stream': { schema: z.string().meta({ examples: [EXAMPLE], ...PRICE_DATA }) },
      },
    },
  },
};

const tickets = {
  tags: ['prices'],
  summary: 'Create a ticket for a price stream',
  description:
    'Returns a ticket that replaces the key in `GET /v1/prices/stream?ticket=…`, for clients that cannot send headers. It ' +
    'can be used only once, within 30 seconds, on any process. The stream has the rights of the key with which the ' +
    'ticket was created, and ends with that key. Free of charge.',
  operationId: 'createStreamTicket',
  response: { 201: streamTicket },
};

const ticket = z
  .unknown()
  .optional()
  .meta({
    description: 'A ticket from `POST /v1/prices/stream/tickets`, instead of a key',
    wire: { type: 'string', pattern: '^[A-Za-z0-9_-]{43}$' },
  });

type Options = {
  catalogue: Catalogue;
  currencies: readonly Currency[];
  market: Pick<LatestPrices, 'latestOf'>;
  publisher: Publisher;
  streams: Pick<OpenStreams, 'respond'>;
  gate: Pick<Gate, 'issueTicket'>;
};

export const priceStream: FastifyPluginAsyncZod<Options> = async (app, options) => {
  const { catalogue, currencies, market, publisher, streams, gate } = options;
  const query = { tokenNames: tokenNames(catalogue), ...currencyParameters(currencies), ticket };
  const querystring = inOneCurrency(z.object(query));
  const cost = ({ tokenNames }: { tokenNames: readonly unknown[] }) => callsFor(tokenNames.length);
  const config = {
    cost,
    price: PRICE,
    scope: 'prices',
    headers: ['Quotient-Token?'],
    streams: true,
    ticketInQuery: true,
    problems: [
      'token_invalid',
      'no_data',
      'too_many_streams',
      'upstream_invalid',
      'upstream_unavailable',
      'upstream_timeout',
    ],
  } as const;

  app.get('/stream', { schema: { ...stream, querystring }, config }, (request, reply) => {
    const { tokenNames } = request.query;
    const currency = currencyOf(request.query);
    const replaced = successorsIn(request.url, catalogue);
    return streams.respond(
      request,
      reply,
      callsFor(tokenNames.length),
      async () => {
        // Throws the same problem as a call for these prices would. Fetches the prices that are not stored or are due.
        await market.latestOf(tokenNames, currency);
        return publisher.open(tokenNames, currency);
      },
      replaced === undefined ? [] : ['quotient-token', replaced],
    );
  });

  app.post('/stream/tickets', { schema: tickets, config: { cost: 0, scope: 'prices' } }, async (request, reply) => {
    reply.code(201).header('cache-control', 'no-store');
    return gate.issueTicket(request);
  });
};
