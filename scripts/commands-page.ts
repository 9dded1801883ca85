import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Command, type Form, formsOf, type Group, synopsisOf } from '#cli/arguments';
import { GROUPS } from '#cli/commands';
import { EVERYWHERE, wrap } from '#cli/usage';

// Writes `docs/commands.md` from the table of commands. A test compares the page with the table.

const WIDTH = 120;

const INTRODUCTION = `The command \`quotient\` starts the service, and changes and reads its data. In a checkout, write \`npx quotient\`. In the
image, and after \`npm install --global\` of the package, write \`quotient\`. [Commands](operating.md#commands) describes
how a command finds the database of the service.

\`source <(quotient completion bash)\` in \`~/.bashrc\` completes the commands, their options and their values. zsh and fish
have their own scripts: \`quotient completion zsh\` and \`quotient completion fish\`. They do not complete \`npx quotient\`.`;

/** Placeholders outside code would be HTML. */
const text = (help: string) => help.replaceAll(/<[^>]+>/g, '`$&`');
const item = ([form, help]: readonly [string, string]) =>
  wrap(`\`${form}\`: ${text(help)}`, WIDTH - 2)
    .map((line, i) => (i === 0 ? `- ${line}` : `  ${line}`))
    .join('\n');
const items = (forms: readonly Form[]) => forms.map(({ form, help }) => item([form, help])).join('\n');

function sectionOf(command: Command): string {
  const { positionals, options } = formsOf(command);
  return [
    ...(command.name.includes(' ') ? [`### ${command.name}`] : []),
    `\`\`\`sh\n${`quotient ${command.name} ${synopsisOf(command)}`.trimEnd()}\n\`\`\``,
    wrap(text(command.help), WIDTH).join('\n'),
    ...(positionals.length + options.length > 0 ? [items([...positionals, ...options])] : []),
  ].join('\n\n');
}

async function chapterOf({ name, load }: Group): Promise<string> {
  const { commands } = await load();
  return [`## ${name}`, ...commands.map(sectionOf)].join('\n\n');
}

/** The text of `docs/commands.md`. */
export async function commandsPage(): Promise<string> {
  const contents = GROUPS.map(({ name, summary }) => `- [${name}](#${name}): ${summary}`).join('\n');
  const chapters = [];
  for (const group of GROUPS) chapters.push(await chapterOf(group));
  const everywhere = `Every command accepts these options:\n\n${EVERYWHERE.map(item).join('\n')}`;
  const codes = `| Exit code | Meaning |
| --- | --- |
| 0 | Done |
| 1 | Failed |
| 2 | Wrong usage, settings or data directory |
| 128 and more | Ended by a signal: 130 after Ctrl-C |`;
  return `${['# Commands', contents, INTRODUCTION, everywhere, codes, ...chapters].join('\n\n')}\n`;
}

if (import.meta.main)
  writeFileSync(fileURLToPath(new URL('../docs/commands.md', import.meta.url)), await commandsPage());
