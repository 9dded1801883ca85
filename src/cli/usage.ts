import { type Command, type Form, formsOf, type Group, synopsisOf } from './arguments.ts';
import { GROUPS } from './commands.ts';

const WIDTH = 100;
const MAX_COLUMN = 34;

/** Wraps the words of a text, whose line breaks have no meaning, to `width` columns. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1);
    if (line === undefined || line.length + word.length >= width) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}

/** Two columns. A left text that is too long has its own line. */
function columns(rows: readonly (readonly [left: string, right: string])[]): string[] {
  const width = Math.min(MAX_COLUMN, Math.max(...rows.map(([left]) => left.length)) + 4);
  return rows.flatMap(([left, right]) => {
    const [first = '', ...rest] = wrap(right, WIDTH - width).map((line) => ' '.repeat(width) + line);
    const line = `  ${left}`;
    return line.length < width ? [line + first.slice(line.length), ...rest] : [line, first, ...rest];
  });
}

export const EVERYWHERE: readonly (readonly [string, string])[] = [
  ['--env-file <path>', 'reads settings from this file instead of .env in the working directory'],
  ['--help', 'describes the commands, or the command before it'],
];

const EXIT_CODES = 'Exit codes: 0 done, 1 failed, 2 wrong usage, settings or data directory, 130 interrupted.';

const joined = (...parts: (string | readonly string[])[]) => `${parts.flat().join('\n').trimEnd()}\n`;

export const usage = (): string =>
  joined(
    ['Usage: quotient <command> [options]', ''],
    columns(GROUPS.map(({ name, summary }) => [name, summary])),
    ['', 'Options of every command:', ''],
    columns([...EVERYWHERE, ['--version', 'prints the version']]),
    ['', '`quotient <command> --help` describes a command.', EXIT_CODES],
  );

const firstSentence = (help: string) => /^[\s\S]*?\.(?=\s|$)/.exec(help)?.[0].replaceAll('\n', ' ') ?? help;

export const usageOfGroup = ({ name, summary }: Group, commands: readonly Command[], notes = ''): string =>
  joined(
    [`Usage: quotient ${name} <command> [options]`, '', summary, ''],
    columns(commands.map((command) => [command.name.slice(name.length + 1), firstSentence(command.help)])),
    ['', `\`quotient ${name} <command> --help\` describes a command.`, ...(notes ? [notes] : []), EXIT_CODES],
  );

export function usageOf(command: Command, notes = ''): string {
  const { positionals, options } = formsOf(command);
  const row = ({ form, help }: Form) => [form, help] as const;
  return joined(
    [`Usage: quotient ${command.name} ${synopsisOf(command)}`.trimEnd(), ''],
    wrap(command.help, WIDTH),
    '',
    columns([...positionals.map(row), ...options.map(row), ...EVERYWHERE]),
    notes === '' ? '' : ['', notes],
    EXIT_CODES,
  );
}
