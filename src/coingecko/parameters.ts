import { z } from 'zod';
import { invalidRequest, Problem } from '#core/problems';

/** Parameters as CoinGecko reads them. Unknown parameters are ignored. `wire` is the text in the OpenAPI document. */

const wireOf = (type: object, example?: unknown) => ({
  ...type,
  ...(example !== undefined && { examples: [example] }),
});

/** The transformation of a parameter's text. Without a result, the parameter is invalid. */
export const parsedBy =
  <Text, Value>(parse: (text: Text) => Value | undefined) =>
  (text: Text, context: z.RefinementCtx): Value => {
    const value = parse(text);
    if (value !== undefined) return value;
    context.addIssue({ code: 'custom', message: 'malformed' });
    return z.NEVER;
  };

/** An empty value counts as absent: some programs send `ids=`. */
const text = z
  .string()
  .transform((value) => value.trim())
  .optional();

/** The entries of a list, without spaces and duplicates, in lower case. */
export const entriesOf = (value: string | undefined): string[] => [
  ...new Set((value ?? '').split(',').map((entry) => entry.trim().toLowerCase())).difference(new Set([''])),
];

export const list = (description: string, example: string) =>
  text.transform(entriesOf).meta({ description, wire: wireOf({ type: 'string' }, example) });

/** A list of contract addresses, whose capitals can have a meaning. */
export const addresses = z
  .string()
  .transform((value) => [...new Set(value.split(',').map((entry) => entry.trim()))].filter(Boolean))
  .meta({
    description: 'Contract addresses, separated by commas',
    wire: wireOf({ type: 'string' }, '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'),
  });

/** The IDs of coins, which are required unless one of the other lists is sent. */
export const requiredIds = z
  .string()
  .transform(entriesOf)
  .meta({
    description: 'The IDs of coins, separated by commas. Can be empty with `names` or `symbols`',
    wire: wireOf({ type: 'string' }, 'bitcoin,ethereum'),
    replacedBy: ['names', 'symbols'],
  });

export const flag = (description: string, isDefault = false) =>
  text
    .transform((value) => (isDefault ? value?.toLowerCase() !== 'false' : value?.toLowerCase() === 'true'))
    .meta({ description, wire: { type: 'boolean', default: isDefault } });

const MAX_DIGITS = 18;

/** Rounds prices. Without a number of digits, prices are not rounded. */
export const precision = text
  .transform((value) => (value !== undefined && /^\d{1,2}$/.test(value) ? Number(value) : undefined))
  .transform((digits) => (digits !== undefined && digits <= MAX_DIGITS ? digits : undefined))
  .meta({
    description: 'The number of decimal places of prices, 0 to 18; `full` or any other value for unrounded prices',
    wire: wireOf({ type: 'string' }, 'full'),
  });

export const roundTo =
  (digits: number | undefined) =>
  (price: number): number =>
    digits === undefined ? price : Number(price.toFixed(digits));

const CURRENCY =
  'The currency of prices, market caps and volumes, case-insensitive, from `/simple/supported_vs_currencies`';

/** A currency of the service. */
export const quoteCurrency = <Quote>(currencies: ReadonlyMap<string, Quote>) =>
  z
    .string()
    .transform(parsedBy((value) => currencies.get(value.trim().toLowerCase())))
    .meta({ description: CURRENCY, wire: wireOf({ type: 'string' }, 'usd') });

/** The currencies of a list that the service knows. */
export const quoteCurrencyList = <Quote>(currencies: ReadonlyMap<string, Quote>) =>
  z
    .string()
    .transform((value) => entriesOf(value).flatMap((code) => currencies.get(code) ?? []))
    .meta({
      description: `${CURRENCY}. Several are separated by commas. Unknown currencies are ignored.`,
      wire: wireOf({ type: 'string' }, 'usd,eur'),
    });

export const whole = (description: string, { min, max, initial }: { min: number; max: number; initial: number }) =>
  text
    .transform(
      parsedBy((value) => {
        if (value === undefined || value === '') return initial;
        return /^\d{1,9}$/.test(value) && Number(value) >= min ? Math.min(Number(value), max) : undefined;
      }),
    )
    .meta({ description, wire: { type: 'integer', minimum: min, default: initial, examples: [initial] } });

/** One of some values. Any other value is the first. */
export const choice = <const Choice extends string>(description: string, values: readonly [Choice, ...Choice[]]) =>
  text
    .transform((value) => values.find((one) => one === value?.toLowerCase()) ?? values[0])
    .meta({ description, wire: { type: 'string', enum: [...values], default: values[0] } });

export const plainText = (description: string, example: string) =>
  z.string().meta({ description, wire: wireOf({ type: 'string' }, example) });

export const coinId = z.object({ id: plainText('The ID of the coin', 'bitcoin') });
export const contractAddress = z.object({
  platform: plainText('The ID of the platform', 'ethereum'),
  address: plainText('The contract address', '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'),
});

type Shape = Record<string, z.ZodType>;
const isMissing = (value: unknown): boolean => value === undefined || value === '';

/** Creates the validator of the routes of CoinGecko's API, with CoinGecko's messages. */
export function coinGeckoValidator({ schema, httpPart = 'query' }: { schema: unknown; httpPart?: string | undefined }) {
  const object = schema as z.ZodObject<Shape>;
  const required = Object.entries(object.shape).flatMap(([name, parameter]) => {
    const { replacedBy = [] } = (parameter.meta() ?? {}) as { replacedBy?: string[] };
    return !parameter.safeParse(undefined).success ? [[name, ...replacedBy] as const] : [];
  });
  return (data: unknown) => {
    const given = (data ?? {}) as Record<string, unknown>;
    const [missing] = required.find((names) => names.every((name) => isMissing(given[name]))) ?? [];
    if (missing !== undefined && httpPart === 'params') return { error: incorrectPath() };
    if (missing !== undefined)
      return { error: new Problem('invalid_request', `Missing parameter ${missing}`, { status: 422 }) };
    // A repeated parameter would mean one thing to the service and another to a proxy or the client.
    const repeated = Object.keys(object.shape).find((name) => Array.isArray(given[name]));
    if (repeated !== undefined) {
      const fix = 'send the parameter once';
      return { error: invalidRequest({ location: repeated, message: 'was sent more than once', fix }) };
    }
    const absent = Object.fromEntries(required.map(([name]) => [name, '']));
    const parsed = object.safeParse({ ...absent, ...given });
    if (parsed.success) return { value: parsed.data };
    if (httpPart === 'params') return { error: coinNotFound() };
    return { error: new Problem('invalid_request', `invalid ${String(parsed.error.issues[0]?.path[0])}`) };
  };
}

export const incorrectPath = (): Problem => new Problem('not_found', 'Incorrect path');
export const coinNotFound = (): Problem => new Problem('not_found', 'coin not found');
