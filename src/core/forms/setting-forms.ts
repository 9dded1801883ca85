import { z } from 'zod';
import { toError } from '../errors.ts';

// Messages never repeat a setting's value, which may be a secret.

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
    .regex(/^\d{1,10}$/, `must be an integer from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be an integer from ${min} to ${max}`);

/** A port, or `off`. */
export const portOrOff = z.union([z.literal('off'), whole(0, 65_535)], 'must be off, or an integer from 0 to 65535');

/** The listener of a port setting, or undefined if it is off. The default port may be in use: then, another is taken. */
export const listenerAt = (host: string, port: number | 'off' | undefined, usualPort: number) =>
  port === 'off' ? undefined : { host, port: port ?? usualPort, isFixed: port !== undefined };

const alternatives = new Intl.ListFormat('en-GB', { type: 'disjunction' });
export const oneOf = <const Name extends string>(...names: readonly Name[]) =>
  z.enum(names, `must be ${alternatives.format(names)}`);

/** The key is sent in a header field. Any other character would make every request fail. */
export const upstreamKey = z.string().regex(/^[!-~]+$/, 'must contain only printable ASCII characters, without spaces');

/** Converts a text with `parse`. If `parse` throws, its message is the fault. */
export const readBy = <T>(parse: (text: string) => T) =>
  z.string().transform((text, context): T => {
    try {
      return parse(text);
    } catch (error) {
      context.addIssue({ code: 'custom', message: toError(error).message });
      return z.NEVER;
    }
  });

export const isHttpUrl = (text: string): boolean => /^https?:$/.test(URL.parse(text)?.protocol ?? '');

export const httpUrl = z
  .string()
  .refine(isHttpUrl, 'must be an http:// or https:// URL')
  .transform((text) => text.replace(/\/+$/, ''));

export const baseUrl = httpUrl.refine((text) => !/[?#]/.test(text), 'must be a URL without a query or fragment');

export const listOf = (url: z.ZodType<string, string>) =>
  z
    .string()
    .transform((text) => text.split(',').map((item) => item.trim()))
    .pipe(z.array(url));
