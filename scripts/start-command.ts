import { readFile } from 'node:fs/promises';

/** How the service is started: what is set in its environment, the flags of Node, and the script. */
export type StartCommand = { env: Record<string, string>; flags: string[]; script: string };

/** What `npm start` does, read from where it stands. Throws when it is more than `NAME=value … node --flags script`. */
export async function readStartCommand(): Promise<StartCommand> {
  const text = await readFile(new URL('../package.json', import.meta.url), 'utf8');
  const { start } = (JSON.parse(text) as { scripts: { start: string } }).scripts;
  const words = start.split(/\s+/);
  const program = words.indexOf('node');
  const [settings, flags] = [words.slice(0, program), words.slice(program + 1, -1)];
  const script = words.at(-1);
  const isUnderstood = settings.every((word) => /^\w+=/.test(word)) && flags.every((word) => /^-/.test(word));
  if (program === -1 || !script || !isUnderstood) throw new Error(`npm start is not understood: ${start}`);
  const pairs = settings.map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]);
  return { env: Object.fromEntries(pairs), flags, script };
}
