import { z } from 'zod';
import type { Catalogue } from '#catalogue/catalogue';
import type { Token } from '#catalogue/token';
import { MOST_TOKENS } from './records.ts';

type Named = Pick<Catalogue, 'find' | 'nearest'>;

/** Each faulty entry is compared with all tokens. */
const FAULTS_TOLD = 3;
const FIX = `1 to ${MOST_TOKENS} names or symbols of tokens that GET /v1/tokens lists, each token once, separated by commas`;

/** The faults of a list by place, from 1, with suggestions; never the text sent. */
function faultOf(entries: readonly string[], tokens: readonly (Token | undefined)[], { nearest }: Named) {
  const isWrong = (token: Token | undefined, i: number) => !token || tokens.indexOf(token) !== i;
  const wrong = tokens.flatMap((token, i) => (isWrong(token, i) ? [i] : []));
  if (wrong.length === 0) return undefined;
  const faults = wrong.slice(0, FAULTS_TOLD).map((i) => {
    const [token, entry] = [tokens[i], entries[i] as string];
    if (token) return { message: `names the token of place ${tokens.indexOf(token) + 1} again in place ${i + 1}` };
    if (entry === '') return { message: `is empty in place ${i + 1}` };
    const names = nearest(entry).map(({ name }) => name);
    const fix = names.length > 0 ? [`${names.join(' or ')} in place ${i + 1}`] : [];
    return { message: `names no known token in place ${i + 1}`, fix };
  });
  const more = wrong.length > faults.length ? [`and ${wrong.length - faults.length} more are wrong`] : [];
  return {
    message: [...faults.map(({ message }) => message), ...more].join(', '),
    fix: [...faults.flatMap(({ fix = [] }) => fix), FIX].join('; in all '),
  };
}

export const tokenNames = (catalogue: Named): z.ZodType<Token[], string> =>
  z
    .string()
    .transform((text, context) => {
      const entries = text.split(',').map((entry) => entry.trim());
      const isTooLong = entries.length > MOST_TOKENS;
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
        'The tokens, by their names or symbols, in the order of the answer; upper and lower case and spaces around a ' +
        'comma do not matter',
      fix: FIX,
      wire: { type: 'string', examples: ['bitcoin,ethereum,sol'] },
    });
