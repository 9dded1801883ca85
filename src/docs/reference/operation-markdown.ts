import { memberNames } from '#core/names';
import { codeBlock } from '#docs/markdown';
import type { NamedSchemas, Parameter, Schema } from '#docs/openapi/schemas';
import { exampleText, LANGUAGES, type Language, samplesOf } from './code-samples.ts';
import { type Entry, exampleResponses, ownProblems, termsOf } from './document.ts';
import type { Place } from './operation-html.ts';
import { boundsOf, fieldsOf, typeOf } from './schema-html.ts';

const cell = (text: string) => text.replace(/\s+/g, ' ').replaceAll('|', '\\|');
const row = (...cells: string[]) => `| ${cells.map(cell).join(' | ')} |`;

function table(head: [string, ...string[]], rows: string[][]): string {
  if (rows.length === 0) return '';
  return [row(...head), row(...head.map(() => '---')), ...rows.map((cells) => row(...cells))].join('\n');
}

const choicesOf = ({ enum: choices = [] }: Schema) =>
  choices.length > 0 ? ` Values: ${choices.map((choice) => `\`${choice}\``).join(', ')}.` : '';

/** The fields of an object. Nested fields have the names of the objects around them. */
const fieldRows = (schema: Schema, named: NamedSchemas, path = ''): string[][] =>
  fieldsOf(schema, named, path).flatMap(({ full, type, words, field, member }) => [
    [`\`${full}\``, type, `${words}${choicesOf(field)}`],
    ...fieldRows(member, named, full),
  ]);

export function parametersMarkdown(parameters: readonly Parameter[], { named }: Pick<Place, 'named'>): string {
  const rows = parameters.map(({ name, in: where, required, description = '', schema, example }) => {
    const type = [typeOf(schema, named), boundsOf(schema), where === 'path' ? 'in the path' : ''].filter(Boolean);
    const shown = example === undefined ? '' : ` For example, \`${exampleText(example)}\`.`;
    return [
      `\`${name}\``,
      `${type.join(', ')}${required ? ', required' : ''}`,
      `${description}${choicesOf(schema)}${shown}`,
    ];
  });
  return table(['Parameter', 'Type', 'Description'], rows);
}

const FENCES: Readonly<Record<Language, string>> = { curl: 'sh', javascript: 'js', python: 'python' };

export function operationMarkdown(entry: Entry, place: Place): string {
  const { method, path, title, description, parameters, body, successes, headers } = entry;
  const { basePath, named, shared } = place;
  const samples = samplesOf(entry, basePath, named);
  const own = headers.filter((name) => !shared.headers.has(name));
  const problems = ownProblems(entry, shared).map(({ status, code }) => `${status} \`${code}\``);
  const texts = [
    `## ${title}`,
    `\`${method} ${basePath}${path}\``,
    termsOf(entry),
    description,
    parametersMarkdown(parameters, place),
    ...(body ? ['Body (`application/json`):', table(['Member', 'Type', 'Description'], fieldRows(body, named))] : []),
    ...successes.flatMap((response) => [
      `Response ${response.status}: ${response.description}`,
      response.schema ? table(['Member', 'Type', 'Description'], fieldRows(response.schema, named)) : '',
    ]),
    own.length > 0 ? `Headers: ${own.map((name) => `\`${name}\``).join(', ')}.` : '',
    problems.length > 0 ? `Problems: ${problems.join(', ')}.` : '',
    ...memberNames(LANGUAGES).map((language) => codeBlock(FENCES[language], samples[language])),
    ...exampleResponses(entry).map(({ label, language, text }) => `${label}:\n\n${codeBlock(language, text)}`),
  ];
  return texts.filter(Boolean).join('\n\n');
}
