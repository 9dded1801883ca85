import { parseArgs } from 'node:util';
import { FIRST_INSTANT, isoDate } from '#core/clock';
import { EXIT, ExitError } from '#process/exit';

export type Command = {
  name: string;
  /** As the usage prints them: `<key> [--id <id>] [--json]`. `…` after a name accepts several values. */
  arguments: string;
  /** The arguments in the order and the wording of error messages, if the usage differs. */
  accepts?: string;
  help?: string;
  run: (input: Given) => Promise<number> | Promise<void>;
};

/** `values` contains the positional arguments and the options, by name. */
export type Given = {
  values: Readonly<Partial<Record<string, string>>>;
  flags: ReadonlySet<string>;
  positionals: readonly string[];
};

type Form = { options: Record<string, { type: 'boolean' | 'string' }>; positionals: string[]; repeats: boolean };

/** A flag or an option in brackets, a required option, or a positional argument. */
const ARGUMENT = /\[--([\w-]+)( [^\]]+)?\]|--([\w-]+) <[^>]+>|<([^>]+)>(…)?/g;

function formOf(text: string): Form {
  const form: Form = { options: {}, positionals: [], repeats: false };
  for (const [, optional, value, required, positional, repeats] of text.matchAll(ARGUMENT)) {
    const option = optional ?? required;
    if (option !== undefined) form.options[option] = { type: required || value ? 'string' : 'boolean' };
    if (positional !== undefined) form.positionals.push(positional);
    if (repeats) form.repeats = true;
  }
  return form;
}

/** The command line adds a hint on how to print the usage. */
export class UsageError extends ExitError {}

export const wrongUsage = (message: string) => new UsageError(message);

function acceptedBy({ options, positionals, repeats }: Form): string {
  const optional = Object.entries(options).map(([name, { type }]) =>
    type === 'boolean' ? `[--${name}]` : `[--${name} <value>]`,
  );
  const required = positionals.map((name) => `<${name}>`);
  return [...required, ...(repeats ? ['…'] : []), ...optional].join(' ') || 'no arguments';
}

/** Throws `UsageError` for unknown, missing or surplus arguments. The error repeats no value, which may be a secret. */
export function readArguments(args: readonly string[], text: string): Given {
  const form = formOf(text);
  const { options, positionals: names, repeats } = form;
  const parsed = parseStrictly(args, form);
  const missing = names.filter((_, i) => !parsed.positionals[i]);
  if (missing.length > 0) {
    const are = missing.length > 1 ? 'are' : 'is';
    throw wrongUsage(
      `${missing.map((name) => `<${name}>`).join(' and ')} ${are} missing: the command requires ${acceptedBy(form)}`,
    );
  }
  const surplus = parsed.positionals.length - names.length;
  if (surplus > 0 && !repeats) {
    const hasValues = Object.values(options).some(({ type }) => type === 'string');
    const hint = names.length > 0 || hasValues ? '; quote values that contain spaces' : '';
    throw wrongUsage(
      `${surplus} unexpected argument${surplus > 1 ? 's' : ''}: the command accepts ${acceptedBy(form)}${hint}`,
    );
  }
  const optionEntries = Object.entries(parsed.values);
  const texts = optionEntries.filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return {
    values: Object.fromEntries([...names.map((name, i) => [name, parsed.positionals[i]]), ...texts]),
    flags: new Set(optionEntries.filter(([, value]) => value === true).map(([name]) => name)),
    positionals: parsed.positionals,
  };
}

export const execute = async ({ arguments: text, accepts = text, run }: Command, args: readonly string[]) =>
  (await run(readArguments(args, accepts))) ?? EXIT.ok;

function parseStrictly(args: readonly string[], form: Form) {
  try {
    return parseArgs({ args: [...args], options: form.options, allowPositionals: true, strict: true });
  } catch (error) {
    throw wrongUsage(optionFault(error as NodeJS.ErrnoException, form));
  }
}

/** Node's message names the option and does not repeat its value. */
function optionFault({ code, message }: NodeJS.ErrnoException, form: Form): string {
  const [, option = '', name = ''] = /'(--?([^\s'=]*))/.exec(message) ?? [];
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION')
    return `unknown option ${option}: the command accepts ${acceptedBy(form)}`;
  if (form.options[name]?.type === 'boolean') return `${option} accepts no value: use ${option} alone`;
  return `${option} requires a value: use ${option} <value>, or ${option}=<value> if the value starts with a dash`;
}

/** Throws `UsageError` unless the text is an integer from `min` to `max`. */
export function wholeNumber(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (/^\d{1,10}$/.test(text) && value >= min && value <= max) return value;
  throw wrongUsage(`${name} must be an integer from ${min} to ${max}`);
}

/** Parses a UTC date to the Unix ms of its midnight. Throws `UsageError` for an invalid or future date. */
export function pastDate(name: string, text: string, now: number): number {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  if (at >= FIRST_INSTANT && at <= now && isoDate(at) === text) return at;
  throw wrongUsage(`${name} must be a date such as 2025-01-31, and not in the future`);
}

/** Throws `UsageError` for anything but one of the names. */
export function choice<const Name extends string>(
  name: string,
  text: string | undefined,
  names: readonly Name[],
): Name {
  const found = names.find((name) => name === text);
  if (found !== undefined) return found;
  throw wrongUsage(`${name} must be ${names.slice(0, -1).join(', ')} or ${names.at(-1)}`);
}
