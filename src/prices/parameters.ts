import { z } from 'zod';
import type { Catalogue } from '#catalogue/catalogue';
import { BUILT_IN_TOKENS, type Token, type TokenName } from '#catalogue/token';
import { type Clock, startOfDate } from '#core/clock';
import { trueOrFalse } from '#core/forms/record-fields';
import { type Currency, DOLLAR, EURO, hasEnded } from '#prices/model/currency';

/*
 * Parameters that several routes share. `fix` states the accepted values. It never repeats the client's text, which may
 * be a secret. If a parameter's text is parsed into another value, `wire` describes the text in the OpenAPI document.
 */

function tokenFix(near: readonly { name: string }[]): string {
  const names = near.map(({ name }) => name).join(' or ');
  return names === '' ? TOKEN_FIX : `${names}, or another token from GET /v1/tokens`;
}
const TOKEN_FIX = 'the name or symbol of a token from GET /v1/tokens, such as bitcoin';

const BUILT_IN_LIST = BUILT_IN_TOKENS.map(({ name, symbol }) => `\`${name}\` (\`${symbol}\`)`).join(', ');

/** Resolves the name or symbol of a served token to the token's name. */
export const tokenName = (catalogue: Pick<Catalogue, 'find' | 'nearest'>): z.ZodType<TokenName, string> =>
  z
    .string()
    .transform((text, context) => {
      const token = catalogue.find(text);
      if (token) return token.name;
      context.addIssue({
        code: 'custom',
        message: 'must be a supported token',
        params: { fix: tokenFix(catalogue.nearest(text)) },
      });
      return z.NEVER;
    })
    .meta({
      description: `The name or symbol of a token, case-insensitive. The built-in tokens are ${BUILT_IN_LIST}. The operator can add other tokens.`,
      fix: TOKEN_FIX,
      wire: { type: 'string', examples: BUILT_IN_TOKENS.map(({ name }) => name) },
    });

const lowerCase = z.string().transform((value) => value.toLowerCase());

const RATE_RULE =
  "Each value is converted at the European Central Bank's reference rate for its UTC date. If that date " +
  'has no rate, the last rate before it applies. Latest values are converted at the latest rate. `ath` and ' +
  '`atl` are converted at the rates of their own dates. ';

const currencyRules = (served: readonly Currency[]) =>
  'The currency of prices, market caps and volumes, case-insensitive. ' +
  (served.includes(EURO) ? RATE_RULE : '') +
  'For `btc` and `eth`, the rate is the price of bitcoin or ethereum at the same time. Supplies are not ' +
  'converted. Percentages always refer to prices in US dollars. Points without a known rate are omitted. ' +
  '`Quotient-Gaps` lists the omitted periods.';

function endedRule(served: readonly Currency[]): string {
  const ended = served.filter(hasEnded).map((code) => `\`${code}\``);
  if (ended.length === 0) return '';
  return (
    ` Rates for ${ended.join(', ')} are no longer published. Points after the last rate of such a currency ` +
    'are omitted. If the requested period has no points for this reason, the response is 400.'
  );
}

/** The currency parameter has two names. `served` contains the supported codes in lower case. */
export function currencyParameters(served: readonly Currency[]) {
  const fix = `one of ${served.join(', ')}`;
  const code = lowerCase.refine((value) => served.includes(value), 'must be a supported currency').optional();
  const [, other = DOLLAR] = served;
  const wire = { type: 'string', enum: [...served], default: DOLLAR, examples: [other] };
  return {
    currency: code.meta({ description: currencyRules(served) + endedRule(served), fix, wire }),
    vs_currency: code.meta({ description: 'The same as `currency`', fix, wire: { ...wire, default: undefined } }),
  };
}

type CurrencyQuery = { currency?: Currency | undefined; vs_currency?: Currency | undefined };

export const inOneCurrency = <T extends z.ZodType<CurrencyQuery>>(schema: T) =>
  schema.refine(({ currency, vs_currency }) => (currency ?? vs_currency) === (vs_currency ?? currency), {
    path: ['vs_currency'],
    message: 'must not differ from currency',
    params: { fix: 'one of the two parameters, or the same value in both' },
  });

export const currencyOf = ({ currency, vs_currency }: CurrencyQuery): Currency => currency ?? vs_currency ?? DOLLAR;

/** `true` or `false`, which is the default. */
export const flag = (description: string) =>
  trueOrFalse
    .optional()
    .transform((value) => value ?? false)
    .meta({ description, fix: '`true` or `false`', wire: { type: 'boolean', default: false } });

/** An integer from 1 to `max`. */
export function integerTo(max: number, description: string, example: number) {
  const fix = `an integer from 1 to ${max}`;
  return z
    .string()
    .regex(new RegExp(`^[1-9]\\d{0,${String(max).length - 1}}$`), `must be ${fix}`)
    .transform(Number)
    .refine((value) => value <= max, `must be ${fix}`)
    .meta({ description, fix, wire: { type: 'integer', minimum: 1, maximum: max, examples: [example] } });
}

export const days = integerTo(36_500, 'Number of days back from now', 30);

const DATE_FORMS = {
  'YYYY-MM-DD': { pattern: '(?<year>\\d{4})-(?<month>\\d{2})-(?<day>\\d{2})', example: '2026-10-31' },
  'DD-MM-YYYY': { pattern: '(?<day>\\d{2})-(?<month>\\d{2})-(?<year>\\d{4})', example: '31-10-2026' },
} as const;
type DateForm = keyof typeof DATE_FORMS;

/** Accepts a date in one of the formats, and parses it to the Unix ms of its midnight (UTC). */
export function date(forms: readonly [DateForm, ...DateForm[]], clock: Clock, { future = false } = {}) {
  const patterns = forms.map((form) => new RegExp(`^${DATE_FORMS[form].pattern}$`));
  const examples = forms.map((form) => DATE_FORMS[form].example);
  const fix = `a date such as ${examples[0]} (${forms.join(' or ')}, UTC)`;
  const sources = forms.map((form) => DATE_FORMS[form].pattern.replace(/\?<\w+>/g, '').replace(/[()]/g, ''));
  const pattern = sources.length === 1 ? `^${sources[0]}$` : `^(${sources.join('|')})$`;
  return z
    .string()
    .refine((text) => patterns.some((pattern) => pattern.test(text)), {
      message: `must be a date in the format ${forms.join(' or ')}`,
      abort: true,
    })
    .transform((text, context) => {
      const { year, month, day } =
        patterns.map((pattern) => pattern.exec(text)).find((match) => match !== null)?.groups ?? {};
      const at = Date.parse(`${year}-${month}-${day}T00:00:00.000Z`);
      const exists = !Number.isNaN(at) && new Date(at).toISOString().startsWith(`${year}-${month}-${day}`);
      if (exists && (future || at <= startOfDate(clock.now()))) return at;
      context.addIssue({
        code: 'custom',
        message: exists ? 'must not be in the future' : 'must be a date that exists',
      });
      return z.NEVER;
    })
    .meta({ fix: future ? fix : `${fix}, not after today`, wire: { type: 'string', pattern, examples } });
}

/** The maximum number of tokens in a request, and the number of tokens per charged call. */
export const MAX_TOKENS = 100;
export const TOKENS_PER_CALL = 10;
/** The charge for a request of several tokens, in calls. */
export const callsFor = (tokens: number): number => Math.ceil(tokens / TOKENS_PER_CALL);

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
    const token = tokens[i];
    const entry = entries[i] ?? '';
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
      if (fault === undefined) return tokens.filter((token) => token !== undefined);
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

/** The names of tokens in the parameters of a request or the arguments of a tool. */
export function namesIn(given: unknown): string[] {
  const { tokenName, tokenNames } = Object(given) as { tokenName?: unknown; tokenNames?: unknown };
  // Some models write arrays as JSON texts.
  return [tokenName, tokenNames]
    .flat()
    .flatMap((value) => (value === undefined ? [] : (String(value).match(/[^[\]",\s]+/g) ?? [])));
}
