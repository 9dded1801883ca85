import { parseArgs } from 'node:util';
import { FIRST_INSTANT, isoDate } from '#core/clock';
import { ExitError } from '#process/exit';

/** Descriptions by form. A form such as `plan <monthly|yearly>` lists the accepted values. */
type Descriptions = Readonly<Record<string, string>>;

export type Command = {
  /** The words after `quotient`: `users create`. */
  name: string;
  /** The positional arguments in order. `…` after the last name accepts several values. */
  arguments?: Descriptions;
  /** The options that must be given: `reason <text>`. */
  required?: Descriptions;
  /** The other options: `limit <calls>`, or `json` without a value. */
  options?: Descriptions;
  help: string;
  /** Flags of Node for the process of this command. */
  nodeFlags?: readonly string[];
  run: (input: Given) => Promise<number> | Promise<void>;
};

/** The commands that start with one word. They are loaded only when they are used. */
export type Group = {
  name: string;
  summary: string;
  load: () => Promise<{ commands: readonly Command[]; notes?: string }>;
};

/** `values` contains the positional arguments and the options, by name. */
export type Given = {
  values: Readonly<Partial<Record<string, string>>>;
  flags: ReadonlySet<string>;
  positionals: readonly string[];
};

/** `form` is the text in the usage: `<key>`, `--limit <calls>`. An option without a value has no `choices`. */
export type Form = { name: string; form: string; help: string; choices?: readonly string[] };

const isList = (text: string) => /^[\w-]+(\|[\w-]+)+$/.test(text);
const choicesIn = (text: string): string[] => (isList(text) ? text.split('|') : []);

function positionalForm([text, help]: [string, string]): Form {
  const [, name = '', values = name, repeats = ''] = /^([^:…]+)(?::([^…]+))?(…?)$/.exec(text) ?? [];
  return { name, form: `<${values}>${repeats}`, help, choices: choicesIn(values) };
}

function optionForm([text, help]: [string, string]): Form {
  const [, name = '', value] = /^([\w-]+)(?: <(.+)>)?$/.exec(text) ?? [];
  return { name, form: `--${text}`, help, ...(value !== undefined && { choices: choicesIn(value) }) };
}

/** All arguments of a command, in the order of the usage. */
export function formsOf({ arguments: names = {}, required = {}, options = {} }: Command) {
  const positionals = Object.entries(names).map(positionalForm);
  const requiredOptions = Object.entries(required).map(optionForm);
  const optional = Object.entries(options).map(optionForm);
  return { positionals, required: requiredOptions, options: [...requiredOptions, ...optional], optional };
}

export function synopsisOf(command: Command): string {
  const { positionals, required, optional } = formsOf(command);
  return [...[...positionals, ...required].map(({ form }) => form), ...optional.map(({ form }) => `[${form}]`)].join(
    ' ',
  );
}

/** The command line adds a hint on how to print the usage. */
export class UsageError extends ExitError {}

export const wrongUsage = (message: string) => new UsageError(message);

/** Throws `UsageError` for unknown, missing or surplus arguments. The error repeats no value, which may be a secret. */
export function readArguments(args: readonly string[], command: Command): Given {
  const { positionals: names, required, options } = formsOf(command);
  const accepted = synopsisOf(command) || 'no arguments';
  const parsed = parseStrictly(args, options, accepted);
  const missing = [
    ...names.filter((_, i) => !parsed.positionals[i]),
    ...required.filter(({ name }) => parsed.values[name] === undefined),
  ].map(({ form }) => form);
  if (missing.length > 0)
    throw wrongUsage(
      `${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} missing: the command requires ${accepted}`,
    );
  const surplus = parsed.positionals.length - names.length;
  if (surplus > 0 && !names.at(-1)?.form.endsWith('…')) {
    const hint = names.length > 0 || options.some(({ choices }) => choices) ? '; quote values that contain spaces' : '';
    throw wrongUsage(`${surplus} unexpected argument${surplus > 1 ? 's' : ''}: the command accepts ${accepted}${hint}`);
  }
  const optionEntries = Object.entries(parsed.values);
  const texts = optionEntries.filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return {
    values: Object.fromEntries([...names.map(({ name }, i) => [name, parsed.positionals[i]]), ...texts]),
    flags: new Set(optionEntries.filter(([, value]) => value === true).map(([name]) => name)),
    positionals: parsed.positionals,
  };
}

function parseStrictly(args: readonly string[], forms: readonly Form[], accepted: string) {
  const options = Object.fromEntries(
    forms.map(({ name, choices }) => [name, { type: choices ? ('string' as const) : ('boolean' as const) }]),
  );
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    // Node's message names the option and does not repeat its value.
    const { code, message } = error as NodeJS.ErrnoException;
    const [, option = '', name = ''] = /'(--?([^\s'=]*))/.exec(message) ?? [];
    if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION')
      throw wrongUsage(`unknown option ${option}: the command accepts ${accepted}`);
    if (options[name]?.type === 'boolean') throw wrongUsage(`${option} accepts no value: use ${option} alone`);
    throw wrongUsage(
      `${option} requires a value: use ${option} <value>, or ${option}=<value> if the value starts with a dash`,
    );
  }
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
