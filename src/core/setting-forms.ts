import { z } from 'zod';

// No fault repeats the value: it may hold a secret.

/** `faults` has one line per invalid setting. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }
}

export type SettingFault = [name: string, message: string];
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

/** Sent as a header: any other character makes every call fail. */
export const upstreamKey = z.string().regex(/^[!-~]+$/, 'must be printable ASCII characters without a space');

/** A text that `parse` converts; the message of its error is the fault. */
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

/** Paths are appended to it. */
export const baseUrl = httpUrl.refine((text) => !/[?#]/.test(text), 'must be a URL without a query and a fragment');

export const listOf = (url: z.ZodType<string, string>) =>
  z
    .string()
    .transform((text) => text.split(',').map((one) => one.trim()))
    .pipe(z.array(url));
