import { escapeHtml } from '#core/forms/record-fields';

/* Marks the parts of code samples, which the pages color. Samples are short, so a lexer of six grammars is enough. */

type Kind = 'comment' | 'name' | 'string' | 'word' | 'literal';

const grammar = (patterns: Partial<Record<Kind, string>>) =>
  new RegExp(
    Object.entries(patterns)
      .map(([kind, pattern]) => `(?<${kind}>${pattern})`)
      .join('|'),
    'gm',
  );
const words = (list: string) => String.raw`\b(?:${list.replaceAll(' ', '|')})\b`;

const QUOTED = String.raw`"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'`;
const NUMBER = String.raw`-?\b\d[\d_.]*\b`;
const HASH = String.raw`(?<!\S)#.*`;

const SHELL = grammar({
  comment: HASH,
  string: QUOTED.replaceAll(String.raw`\n`, ''),
  /** Variables, and the options of a command. */
  name: String.raw`^[A-Z_]+(?==)|\$\{?\w+\}?|(?<=\s)--?[A-Za-z][\w-]*`,
  /** The command. */
  word: String.raw`(?<=^|\| |&& |\$\()[a-z][\w.-]*(?=\s|$)`,
});
const JSON_TEXT = grammar({
  name: String.raw`"(?:\\.|[^"\\])*"(?=\s*:)`,
  string: QUOTED,
  literal: `${NUMBER}|${words('true false null')}`,
});
const SCRIPT = grammar({
  comment: String.raw`//.*|/\*[\s\S]*?\*/`,
  string: String.raw`${'`'}(?:\\.|[^${'`'}\\])*${'`'}|${QUOTED}`,
  word: words(
    'as async await class const else export extends for from function if import in interface let new of return throw try type typeof while',
  ),
  literal: `${NUMBER}|${words('true false null undefined')}`,
});
const PYTHON = grammar({
  comment: HASH,
  string: QUOTED,
  word: words(
    'and as async await class def else except for from if import in is lambda not or raise return try while with',
  ),
  literal: `${NUMBER}|${words('True False None')}`,
});
/** YAML, ini files, and the directives of web servers. */
const SETTINGS = grammar({
  comment: HASH,
  name: String.raw`(?<=^\s*(?:- )?)[\w.-]+(?=\s*[:=])|\$\w+`,
  string: QUOTED,
  word: String.raw`(?<=^\s*)[a-z_]+(?=\s+[^\s:=]|;)`,
  literal: `${NUMBER}|${words('true false null')}`,
});
const SQL = grammar({ comment: '--.*', string: QUOTED, word: String.raw`\b[A-Z]{2,}\b`, literal: NUMBER });

const GRAMMARS: Readonly<Record<string, RegExp>> = {
  ...{ sh: SHELL, bash: SHELL, curl: SHELL },
  ...{ js: SCRIPT, ts: SCRIPT, javascript: SCRIPT },
  ...{ py: PYTHON, python: PYTHON },
  ...{ yaml: SETTINGS, ini: SETTINGS, nginx: SETTINGS, caddy: SETTINGS },
  ...{ json: JSON_TEXT, sql: SQL },
};

/** Code as HTML. Code in an unknown language has no marks. */
export function highlightHtml(code: string, language = ''): string {
  let html = '';
  let end = 0;
  for (const { 0: token, index, groups = {} } of code.matchAll(GRAMMARS[language] ?? /(?!)/g)) {
    const kind = Object.keys(groups).find((name) => groups[name] !== undefined);
    html += `${escapeHtml(code.slice(end, index))}<span class="${kind}">${escapeHtml(token)}</span>`;
    end = index + token.length;
  }
  return html + escapeHtml(code.slice(end));
}
