import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { FIRST_INSTANT, isoDate } from '#core/clock';
import { EXIT, ExitError } from '#process/exit';

/** Every name in `positionals` is a required argument. With `repeats`, the last one accepts several values. */
type Form<Options extends ParseArgsOptionsConfig> = {
  options?: Options;
  positionals?: readonly string[];
  repeats?: boolean;
};
export const JSON_OPTION = { json: { type: 'boolean', default: false } } as const;

/** The command line adds a hint on how to print the usage. */
export class UsageError extends ExitError {}

export const wrongUsage = (message: string) => new UsageError(message);

function acceptedBy({ options = {}, positionals = [], repeats }: Form<ParseArgsOptionsConfig>): string {
  const optional = Object.entries(options).map(([name, { type }]) =>
    type === 'boolean' ? `[--${name}]` : `[--${name} <value>]`,
  );
  const required = positionals.map((name) => `<${name}>`);
  return [...required, ...(repeats ? ['…'] : []), ...optional].join(' ') || 'no arguments';
}

/** Throws `UsageError` for unknown, missing or surplus arguments. The error repeats no value, which may be a secret. */
export function readArguments<const Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  form: Form<Options>,
) {
  const parsed = parseStrictly(args, form);
  const { options, positionals: names = [], repeats } = form;
  const missing = names.filter((_, i) => !parsed.positionals[i]);
  if (missing.length > 0) {
    const are = missing.length > 1 ? 'are' : 'is';
    throw wrongUsage(
      `${missing.map((name) => `<${name}>`).join(' and ')} ${are} missing: the command requires ${acceptedBy(form)}`,
    );
  }
  const surplus = parsed.positionals.length - names.length;
  if (surplus > 0 && !repeats) {
    const hasValues = Object.values(options ?? {}).some(({ type }) => type === 'string');
    const hint = names.length > 0 || hasValues ? '; quote values that contain spaces' : '';
    throw wrongUsage(
      `${surplus} unexpected argument${surplus > 1 ? 's' : ''}: the command accepts ${acceptedBy(form)}${hint}`,
    );
  }
  return parsed;
}

/** A command that parses its arguments and returns its exit code (default 0). */
export const command =
  <const Options extends ParseArgsOptionsConfig>(
    form: Form<Options>,
    run: (parsed: ReturnType<typeof readArguments<Options>>) => Promise<number> | Promise<void>,
  ) =>
  async (args: readonly string[]): Promise<number> =>
    (await run(readArguments(args, form))) ?? EXIT.ok;

function parseStrictly<const Options extends ParseArgsOptionsConfig>(args: readonly string[], form: Form<Options>) {
  try {
    const options = form.options ?? ({} as Options);
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw wrongUsage(optionFault(error as NodeJS.ErrnoException, form));
  }
}

/** Node's message names the option and does not repeat its value. */
function optionFault({ code, message }: NodeJS.ErrnoException, form: Form<ParseArgsOptionsConfig>): string {
  const [, option = '', name = ''] = /'(--?([^\s'=]*))/.exec(message) ?? [];
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION')
    return `unknown option ${option}: the command accepts ${acceptedBy(form)}`;
  if (form.options?.[name]?.type === 'boolean') return `${option} accepts no value: use ${option} alone`;
  return `${option} requires a value: use ${option} <value>, or ${option}=<value> if the value starts with a dash`;
}

/** Throws `UsageError` unless the text is an integer from `min` to `max`. */
export function wholeNumber(what: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (/^\d{1,10}$/.test(text) && value >= min && value <= max) return value;
  throw wrongUsage(`${what} must be an integer from ${min} to ${max}`);
}

/** Parses a UTC date to the Unix ms of its midnight. Throws `UsageError` for an invalid or future date. */
export function pastDate(what: string, text: string, now: number): number {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  if (at >= FIRST_INSTANT && at <= now && isoDate(at) === text) return at;
  throw wrongUsage(`${what} must be a date such as 2025-01-31, and not in the future`);
}

/** Throws `UsageError` for anything but one of the names. */
export function choice<const Name extends string>(
  what: string,
  text: string | undefined,
  names: readonly Name[],
): Name {
  const found = names.find((name) => name === text);
  if (found !== undefined) return found;
  throw wrongUsage(`${what} must be ${names.slice(0, -1).join(', ')} or ${names.at(-1)}`);
}
