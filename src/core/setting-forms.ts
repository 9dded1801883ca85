import { z } from 'zod';

/* The forms that settings of several capabilities have. No fault repeats the value: it may hold a secret. */

/** The settings do not hold; `faults` has a line for each that is wrong. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }
}

/** What settings lack together: the name of a setting and what is wrong with it. */
export type SettingFault = [name: string, message: string];

/** The environment as the variables of a capability read it. */
export type Parsed<Variables extends z.ZodRawShape> = z.output<z.ZodObject<Variables>>;

export const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,10}$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be a whole number from ${min} to ${max}`);

const alternatives = new Intl.ListFormat('en-GB', { type: 'disjunction' });
export const oneOf = <const Name extends string>(...names: readonly Name[]) =>
  z.enum(names, `must be ${alternatives.format(names)}`);

/** What goes out as a header: with anything else in it no call could be made. */
export const upstreamKey = z.string().regex(/^[!-~]+$/, 'must be printable ASCII characters without a space');

/** A text that a parser reads; what it throws says what is wanted. */
export const readBy = <T>(parse: (text: string) => T) =>
  z.string().transform((text, context): T => {
    try {
      return parse(text);
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message });
      return z.NEVER;
    }
  });

export const isHttpUrl = (text: string): boolean => /^https?:$/.test(URL.parse(text)?.protocol ?? '');

export const httpUrl = z
  .string()
  .refine(isHttpUrl, 'must be an http:// or https:// URL')
  .transform((text) => text.replace(/\/+$/, ''));

/** Paths are put behind it. */
export const baseUrl = httpUrl.refine((text) => !/[?#]/.test(text), 'must be a URL without a query and a fragment');

export const listOf = (url: z.ZodType<string, string>) =>
  z
    .string()
    .transform((text) => text.split(',').map((one) => one.trim()))
    .pipe(z.array(url));
