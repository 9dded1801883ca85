import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { isoDate } from '#core/clock';
import type { Database } from '#database/database';
import { EXIT, ExitError, explain, openConfiguredDatabase } from '#process/exit';
import { readSettings } from '#settings';

/** What a command accepts: `positionals` has their names, all required, in order. */
export type Form<Options extends ParseArgsOptionsConfig> = {
  options: Options;
  positionals: readonly string[];
};

export const wrongUsage = (message: string) => new ExitError(`${message} (see --help)`);

/**
 * The options and positionals of a command. Throws `ExitError` for an unknown, missing or surplus one. Values are not
 * repeated in errors: one may be a secret given by mistake.
 */
export function readArguments<const Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  { options, positionals: names }: Form<Options>,
) {
  const parsed = parseStrictly(args, options);
  const missing = names.slice(parsed.positionals.length);
  if (missing.length > 0) throw wrongUsage(`${missing.map((name) => `<${name}>`).join(' ')} is missing`);
  if (parsed.positionals.length > names.length) {
    throw wrongUsage(`${parsed.positionals.length - names.length} argument(s) too many`);
  }
  return parsed;
}

function parseStrictly<const Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Options,
) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw wrongUsage(String((error as Error).message.split('\n')[0]).replace(/\. To specify .*$/, ''));
  }
}

/** A whole number from the command line. Throws `ExitError` if it is none or out of bounds. */
export function wholeNumber(what: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (/^\d{1,10}$/.test(text) && value >= min && value <= max) return value;
  throw wrongUsage(`${what} must be a whole number from ${min} to ${max}`);
}

/** A UTC date from the command line, in Unix ms of its midnight. Throws `ExitError` if it is none, or in the future. */
export function pastDate(what: string, text: string, now: number): number {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  if (at <= now && isoDate(at) === text) return at;
  throw wrongUsage(`${what} must be a date like 2025-01-31, not after today`);
}

/**
 * Runs some work with the configured database, and closes it afterwards in any case. An embedded one that a running service
 * has is reached through that service.
 */
export async function withDatabase<Result>(work: (database: Database) => Promise<Result>): Promise<Result> {
  const database = await openConfiguredDatabase(readSettings(), { isShared: true });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** The commands of a process by their names; each gives the exit code. */
export type CommandLine = {
  usage: string;
  commands: Readonly<Record<string, (args: readonly string[]) => Promise<number>>>;
};

/** Runs the command that the arguments begin with; `--help` anywhere only prints the usage. */
async function dispatch({ usage, commands }: CommandLine, args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(usage);
    return EXIT.ok;
  }
  const [name, ...rest] = args;
  const names = Object.keys(commands);
  if (name === undefined) throw wrongUsage(`missing command: use one of ${names.join(', ')}`);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) throw wrongUsage(`unknown command: use one of ${names.join(', ')}`);
  return command(rest);
}

/** The exit code of some work; an error goes to stderr. */
async function exitCodeOf(work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    const { text, exitCode } = explain(error);
    process.stderr.write(`${text}\n`);
    return exitCode;
  }
}

/** Runs some work and sets the exit code. The process then ends by itself. */
export async function runToExitCode(work: () => Promise<number>): Promise<void> {
  // The reader may close the pipe early, as `… | head` does.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  process.exitCode = await exitCodeOf(work);
}

/** Runs a command and gives its exit code: 0 done, 1 failed, 2 wrong usage, settings or data directory. */
export const runCommand = (commandLine: CommandLine, args: readonly string[]): Promise<number> =>
  exitCodeOf(() => dispatch(commandLine, args));

/** Runs the command line of this process. */
export const runCommandLine = (commandLine: CommandLine): Promise<void> =>
  runToExitCode(() => dispatch(commandLine, process.argv.slice(2)));
