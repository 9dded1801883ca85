import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { EXIT, ExitError, explain, openConfiguredDatabase } from '#exit';
import { readSettings } from '#settings';
import type { Database } from '#stores/database/database';

/** What one command takes: `positionals` names each that is wanted, in order. */
export type Form<Options extends ParseArgsOptionsConfig> = {
  options: Options;
  positionals: readonly string[];
};

export const wrongUsage = (message: string) => new ExitError(`${message} (--help tells more)`);

/**
 * The options and positionals of a command. Throws `ExitError` for one that is unknown, missing or too many; values are
 * not repeated, an option's value may be a secret that slipped.
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

/** A whole number given on the command line. Throws `ExitError` that says what is wanted. */
export function wholeNumber(what: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (/^\d{1,10}$/.test(text) && value >= min && value <= max) return value;
  throw wrongUsage(`${what} must be a whole number from ${min} to ${max}`);
}

/** Opens the database of the settings for some work, and closes it, however that ends. */
export async function withDatabase<Result>(work: (database: Database) => Promise<Result>): Promise<Result> {
  const database = await openConfiguredDatabase(readSettings());
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

type Commands = Readonly<Record<string, (args: readonly string[]) => Promise<number>>>;

/** Picks the command that the arguments begin with; `--help` anywhere prints the usage in place of doing anything. */
async function dispatch(args: readonly string[], usage: string, commands: Commands): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(usage);
    return EXIT.ok;
  }
  const [name, ...rest] = args;
  const names = Object.keys(commands);
  if (name === undefined) throw wrongUsage(`give a command: ${names.join(', ')}`);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) throw wrongUsage(`there is no such command: give one of ${names.join(', ')}`);
  return command(rest);
}

/** Does some work and leaves its exit code; a fault goes to stderr. Does not end the process: all is closed by then. */
export async function runToExitCode(work: () => Promise<number>): Promise<void> {
  // Whoever reads the output may have had enough of it: `… | head`.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  try {
    process.exitCode = await work();
  } catch (error) {
    const { text, exitCode } = explain(error);
    process.stderr.write(`${text}\n`);
    process.exitCode = exitCode;
  }
}

/** Runs the command line of this process. Exit codes: 0 done, 1 failed, 2 wrong usage, settings or data directory. */
export function runCommandLine(usage: string, commands: Commands): Promise<void> {
  return runToExitCode(() => dispatch(process.argv.slice(2), usage, commands));
}
