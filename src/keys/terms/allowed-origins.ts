import { z } from 'zod';
import { Problem } from '#core/problems';
import { hasHost } from '#server/cross-origin';
import { listForms, type PageHeaders, term } from './term.ts';

const MAX_ORIGINS = 10;
/** The length of the longest DNS name, with a scheme and a port. */
const MAX_ORIGIN_LENGTH = 270;
const FIX = 'origins such as https://example.com: http or https, a host and a port, without a path';

/** Returns an origin as browsers send it in `Origin` (RFC 6454): lower case, ASCII, without the scheme's own port. */
function originIn(text: string): string | undefined {
  // The URL parser would silently drop or add parts that do not belong to an origin.
  if (text.length > MAX_ORIGIN_LENGTH || !/^https?:\/\/[^/?#@\\\s]+$/i.test(text)) return undefined;
  const url = URL.parse(text);
  return url && /^([a-z0-9._-]+|\[[\da-f:.]+\])$/.test(url.hostname) ? url.origin : undefined;
}

function toOrigins(texts: readonly string[], context: z.RefinementCtx): readonly string[] {
  const fault = (message: string) => {
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  };
  if (texts.length > MAX_ORIGINS) return fault(`must contain at most ${MAX_ORIGINS} origins`);
  const origins = new Set<string>();
  for (const [place, text] of texts.entries()) {
    const origin = originIn(text);
    if (origin === undefined) {
      const isWithoutScheme = originIn(`http://${text}`) !== undefined;
      const problem = isWithoutScheme ? 'without a scheme (add http:// or https://)' : 'that is not an origin';
      return fault(`contains an entry ${problem}, at position ${place + 1}`);
    }
    origins.add(origin);
  }
  return [...origins];
}

const { text, list } = listForms(toOrigins, ['https://shop.example']);

const parameter = text.optional().meta({
  description:
    'The origins of the web pages that can use the key. Requests from other pages, and requests without `Origin`, ' +
    'are rejected. If omitted, the key can be used from everywhere.',
  fix: `1 to ${MAX_ORIGINS} ${FIX}, separated by commas`,
  wire: { type: 'string', examples: ['https://shop.example,http://localhost:5173'] },
});

const member = list
  .transform((origins) => (origins.length > 0 ? origins : null))
  .nullable()
  .optional()
  .meta({
    description:
      'The origins of the web pages that can use the key; null or an empty list for no restriction. They cannot ' +
      'be changed for an owner key.',
    fix: `a list of at most ${MAX_ORIGINS} ${FIX}, or null`,
  });

/** With a GET to a page's own origin, browsers send no `Origin` but `Sec-Fetch-Site`, which no page can set. */
function isFromAllowedPage(allowed: readonly string[], { origin, host, 'sec-fetch-site': site }: PageHeaders): boolean {
  if (origin !== undefined) return allowed.includes(origin);
  return site === 'same-origin' && allowed.some((one) => hasHost(one, host));
}

/** The web origins from which the key may be used, as browsers send them. */
export const allowedOrigins = term({
  column: 'k.allowed_origins',
  fromRow: (row: readonly string[] | null): readonly string[] | null => (row?.length ? row : null),
  toRow: (value) => [...(value ?? [])],
  record: z
    .array(z.string())
    .nullable()
    .meta({
      description: 'The origins of the web pages that can use the key; null if the key can be used from everywhere',
      examples: [['https://shop.example']],
    }),
  toRecord: (value) => value && [...value],
  parameter: () => parameter,
  none: null,
  member: () => member,
  toText: (value) => value.join(','),
  changeable: 'not for owners',
  permits: (value, { headers }) => isFromAllowedPage(value, headers),
  problem(_, { headers }) {
    const found =
      headers.origin === undefined ? 'The request has no Origin header.' : "The request's Origin is not one of them.";
    const detail = `This API key can be used only by web pages of the origins in its allowedOrigins. ${found}`;
    return new Problem('origin_not_allowed', detail);
  },
});
