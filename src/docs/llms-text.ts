import type { Document, Operation, Parameter, Response } from '#docs/openapi/schemas';
import { ATTRIBUTION, type GuideSettings, gettingStarted, SLOGAN, SUMMARY } from './guide/guide.ts';
import { toMarkdown } from './site/manual.ts';
import type { Page } from './site/page.ts';

const ESSENTIAL = ['Get a key', 'Check your allowance', 'Handle errors'];

/** `days (1 to 36500, like 30)`. A question mark follows the name of an optional parameter. */
function parameter({ name, required, example, schema }: Parameter): string {
  const { enum: choices, minimum, maximum } = schema;
  const range = minimum === undefined || maximum === undefined ? '' : `${minimum} to ${maximum}, `;
  const like = example === undefined ? '' : `like ${JSON.stringify(example)}`;
  const values = choices ? choices.join('|') : `${range}${like}`;
  return `${name}${required ? '' : '?'}${values && ` (${values})`}`;
}

function keyOf(scope: Operation['x-scope']): string {
  if (scope === undefined) return 'key';
  return scope === 'account' ? 'owner key' : `key with the scope ${scope}`;
}

function terms({ security = [], parameters = [], requestBody, responses, ...rest }: Operation): string {
  const isOpen = security.length === 0;
  const needsHeader = security.every((scheme) => Object.keys(scheme).length > 0);
  const { headers = {}, content = {} } = (responses['200'] ?? {}) as Partial<Response>;
  return [
    isOpen ? 'no key' : needsHeader ? keyOf(rest['x-scope']) : 'key, in the query or in the header',
    'RateLimit' in headers ? (rest['x-price'] ?? 'one call') : 'free',
    ...('text/csv' in content ? ['JSON or text/csv'] : []),
    ...parameters.filter((candidate) => candidate.in !== 'header').map(parameter),
    ...(requestBody ? [`body in ${Object.keys(requestBody.content).join(' or ')}`] : []),
  ].join('; ');
}

/** Links to the operation with a JSON Pointer (RFC 6901). */
function line(basePath: string, path: string, method: string, operation: Operation): string {
  const pointer = `/paths/${path.replaceAll('~', '~0').replaceAll('/', '~1')}/${method}`;
  const target = `${basePath}/openapi.json#${encodeURI(pointer)}`;
  return `- [${method.toUpperCase()} ${path}](${target}): ${operation.summary}. ${terms(operation)}`;
}

/** The text of `/llms.txt` (https://llmstxt.org): one line per operation, and one per page of the docs. */
export function llmsText(
  { tags, paths }: Document,
  settings: GuideSettings,
  pages: readonly Pick<Page, 'path' | 'title' | 'summary'>[],
): string {
  const { basePath } = settings;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const groups = tags.map(({ name, description }) => {
    const own = operations.filter(({ operation }) => operation.tags?.[0] === name);
    const lines = own.map(({ path, method, operation }) => line(basePath, path, method, operation));
    return `## ${name[0]?.toUpperCase()}${name.slice(1)}: ${description}\n\n${lines.join('\n')}`;
  });
  const to = toMarkdown(basePath);
  const essence = gettingStarted(settings, to)
    .filter(({ title }) => ESSENTIAL.includes(title))
    .map(({ title, text }) => `- ${title}: ${text.split('\n\n', 1)[0]}`);
  const texts = pages.map(({ path, title, summary }) => `- [${title}](${to(path)}): ${summary}`);
  return `# Quotient

> ${SLOGAN}. ${SUMMARY} ${ATTRIBUTION}

- Base URL: ${basePath === '' ? 'the origin of this file' : `\`${basePath}\` at the origin of this file`}; all paths are relative to the base URL. Send the key in the header \`X-API-KEY\`, or in \`Authorization\` as Bearer or Basic.
${essence.join('\n')}
- All times are in UTC. Parameters with a question mark are optional.

${groups.join('\n\n')}

## Docs

${texts.join('\n')}

## More

- [The API description](${basePath}/openapi.json): OpenAPI 3.1, with all schemas, headers and problems
- [The docs](${basePath}/docs): pages for people, with a form to try each endpoint
- [The console](${basePath}/): prices and charts in a browser
`;
}
