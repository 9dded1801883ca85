import { z } from 'zod';
import type { Catalogue } from '#catalogue/catalogue';
import type { Token } from '#catalogue/token';
import { MAX_TOKENS } from './latest-records.ts';

type Named = Pick<Catalogue, 'find' | 'nearest'>;

/** The maximum number of invalid entries that are described, because each is compared with all tokens. */
const MAX_FAULTS = 3;
const FIX = `a comma-separated list of 1 to ${MAX_TOKENS} token names or symbols from GET /v1/tokens, without duplicates`;

/** Lists the positions of invalid entries, starting at 1, with suggestions. Never repeats the client's text. */
function faultOf(entries: readonly string[], tokens: readonly (Token | undefined)[], { nearest }: Named) {
  const isWrong = (token: Token | undefined, i: number) => !token || tokens.indexOf(token) !== i;
  const wrong = tokens.flatMap((token, i) => (isWrong(token, i) ? [i] : []));
  if (wrong.length === 0) return undefined;
  const faults = wrong.slice(0, MAX_FAULTS).map((i) => {
    const [token, entry] = [tokens[i], entries[i] as string];
    if (token) return { message: `has the same token at positions ${tokens.indexOf(token) + 1} and ${i + 1}` };
    if (entry === '') return { message: `is empty at position ${i + 1}` };
    const names = nearest(entry).map(({ name }) => name);
    const fix = names.length > 0 ? [`${names.join(' or ')} at position ${i + 1}`] : [];
    return { message: `has an unknown token at position ${i + 1}`, fix };
  });
  const more = wrong.length > faults.length ? [`and has ${wrong.length - faults.length} more invalid entries`] : [];
  return {
    message: [...faults.map(({ message }) => message), ...more].join(', '),
    fix: [...faults.flatMap(({ fix = [] }) => fix), FIX].join('; overall, '),
  };
}

export const tokenNames = (catalogue: Named): z.ZodType<Token[], string> =>
  z
    .string()
    .transform((text, context) => {
      const entries = text.split(',').map((entry) => entry.trim());
      const isTooLong = entries.length > MAX_TOKENS;
      const tokens = isTooLong ? [] : entries.map(catalogue.find);
      const fault = isTooLong
        ? { message: `has ${entries.length} entries`, fix: FIX }
        : faultOf(entries, tokens, catalogue);
      if (fault === undefined) return tokens as Token[];
      context.addIssue({ code: 'custom', message: fault.message, params: { fix: fault.fix } });
      return z.NEVER;
    })
    .meta({
      description:
        'Token names or symbols, separated by commas. Names and symbols are case-insensitive. Spaces around a ' +
        'comma are ignored. The response has the same order.',
      fix: FIX,
      wire: { type: 'string', examples: ['bitcoin,ethereum,sol'] },
    });
