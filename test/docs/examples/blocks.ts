/** A codeBlock block of a page, without its indentation. */
export type Block = { page: string; heading: string; language: string; code: string };

/** The codeBlock blocks of a Markdown text, each with the heading above it. */
export function blocksOf(page: string, markdown: string): Block[] {
  const blocks: Block[] = [];
  let heading = '';
  let open: { indent: string; block: Block } | undefined;
  for (const line of markdown.split('\n')) {
    const [, indent = '', language] = /^( *)```(\w*)$/.exec(line) ?? [];
    if (open) {
      if (language === '') {
        blocks.push(open.block);
        open = undefined;
      } else {
        open.block.code += `${line.startsWith(open.indent) ? line.slice(open.indent.length) : line}\n`;
      }
    } else if (language !== undefined) {
      open = { indent, block: { page, heading, language, code: '' } };
    } else {
      heading = /^#+ (.+)$/.exec(line)?.[1] ?? heading;
    }
  }
  if (open) throw new Error(`${page}: the block below "${open.block.heading}" does not end`);
  return blocks;
}

/** The commands of a shell example: the first word of each line that starts a command. */
export const commandsIn = (code: string): string[] =>
  code
    .replaceAll(/\\\n/g, ' ')
    .split(/\n|&&/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.replace(/^(?:\w+=\S*\s*)+/, ''))
    .flatMap((line) => line.split(/\s+/, 1))
    .filter((word) => word !== '');
