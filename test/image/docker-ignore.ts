/*
 * The part of `.dockerignore` that this repository uses: literal paths, `*`, `?`, `**` as a whole segment, and `!`.
 * https://docs.docker.com/build/concepts/context/#dockerignore-files
 */

type Rule = { pattern: RegExp; readmits: boolean };

/** One segment of a path, without wildcards between segments. */
const SEGMENT = /^[\w.*?-]+$/;

function segmentSource(segment: string): string {
  if (!SEGMENT.test(segment) || segment === '.' || segment === '..' || segment.includes('**'))
    throw new Error(`.dockerignore: the segment ${JSON.stringify(segment)} is not supported`);
  return segment.replaceAll('.', '\\.').replaceAll('*', '[^/]*').replaceAll('?', '[^/]');
}

function parseRule(line: string): Rule {
  const readmits = line.startsWith('!');
  const segments = line.slice(readmits ? 1 : 0).split('/');
  if (segments[0] === '') segments.shift();
  if (segments.at(-1) === '') segments.pop();
  if (segments.length === 0 || segments.at(-1) === '**')
    throw new Error(`.dockerignore: the pattern ${JSON.stringify(line)} is not supported`);
  const source = segments.map((segment, place) => {
    if (segment === '**') return '(?:.*/)?';
    return segmentSource(segment) + (place < segments.length - 1 ? '/' : '');
  });
  return { pattern: new RegExp(`^${source.join('')}$`), readmits };
}

/**
 * Reads a `.dockerignore` file. The returned function reports whether the build context contains a file, by its path
 * relative to the folder of the `.dockerignore` file. The last matching rule decides; a rule that matches a folder
 * applies to everything in it. Throws an error for syntax that it does not support.
 */
export function parseDockerIgnore(text: string): (path: string) => boolean {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const rules = lines.map(parseRule);
  return (path) => {
    const parts = path.split('/');
    const prefixes = parts.map((_, place) => parts.slice(0, place + 1).join('/'));
    const last = rules.findLast(({ pattern }) => prefixes.some((prefix) => pattern.test(prefix)));
    return last?.readmits ?? true;
  };
}
