import { escapeHtml } from '#core/forms/record-fields';
import { memberNames } from '#core/names';
import { inlineCodeHtml as code, codeHtml, inlineHtml, toHtml } from '#docs/markdown';
import type { NamedSchemas, Parameter, Schema } from '#docs/openapi/schemas';
import { bodyExample, exampleText, LANGUAGES, samplesOf } from './code-samples.ts';
import {
  type DocumentedResponse,
  type Entry,
  exampleResponses,
  ownProblems,
  type Shared,
  termsOf,
} from './document.ts';
import { boundsOf, choicesHtml, fieldsHtml, MANY_CHOICES, typeOf } from './schema-html.ts';

function questionOf({ method, path, title }: Entry): string | undefined {
  if (method === 'DELETE') return `${title}? This cannot be undone.`;
  if (path.endsWith('/rotate'))
    return `${title}? The response contains the new key. The key is shown only once. The old key stops working after its grace period.`;
  if (path.endsWith('/recover/confirm')) return `${title}? All current owner keys are revoked.`;
  return undefined;
}

/** A form field. The field of a required parameter contains the example. */
function fieldHtml({ name, in: where, required, schema, example }: Parameter): string {
  const attributes = `name="${escapeHtml(name)}" data-in="${where}"`;
  const text = escapeHtml(exampleText(example));
  const choices = (schema.enum ?? []).map(String);
  const isChoice = choices.length > 0 && choices.length <= MANY_CHOICES;
  const field = isChoice
    ? `<select ${attributes}>${required ? '' : '<option></option>'}${choices
        .map((choice) => `<option${required && choice === text ? ' selected' : ''}>${escapeHtml(choice)}</option>`)
        .join('')}</select>`
    : `<input ${attributes}${required ? ` required value="${text}"` : ` placeholder="${text}"`}>`;
  return `<label class="field"><span>${escapeHtml(name)}${required ? '' : ' <span class="soft">optional</span>'}</span>${field}</label>`;
}

const tryId = (id: string) => `${id}-try`;

/** The form that calls this service. A script sends the request. If scripts are off, the form is hidden. */
function tryHtml(entry: Entry, named: NamedSchemas): string {
  const { id, parameters, body, price, takesKey, title } = entry;
  const question = questionOf(entry);
  const fields = parameters.map(fieldHtml);
  if (body) {
    const text = escapeHtml(JSON.stringify(bodyExample(body, named), null, 2));
    fields.push(
      `<label class="field wide">Body<textarea name="body" data-in="body" rows="6">${text}</textarea></label>`,
    );
  }
  const cost = price === undefined ? 'Free of charge.' : `Costs ${escapeHtml(price)} of your allowance.`;
  return `<details class="try" id="${escapeHtml(tryId(id))}"><summary>Try it<span class="unseen">: ${escapeHtml(title)}</span></summary>
<form autocomplete="off" spellcheck="false"${takesKey ? ' data-key' : ''}${price === undefined ? '' : ' data-priced'}\
${question ? ` data-question="${escapeHtml(question)}"` : ''}>
<div class="fields-to-fill">${fields.join('\n')}</div>
<div class="send"><button type="submit" class="primary">Send</button><span class="soft">${cost}</span></div>
<div class="result"></div>
</form></details>`;
}

/** `common` is the address of the page with the parts that several operations share. */
export type Place = { basePath: string; common: string; named: NamedSchemas; shared: Shared };

export const methodHtml = (method: string) =>
  `<span class="method ${method.toLowerCase()}">${method === 'DELETE' ? 'DEL' : method}</span>`;

/** `<wbr>` lets a long path break after its slashes. */
const pathHtml = (path: string) => `<span>${escapeHtml(path).replaceAll('/', '/<wbr>')}</span>`;
const firstSentence = (text: string) => /^.+?[.;](?= |$)/.exec(text)?.[0].replace(/;$/, '.') ?? text;

function factsOf({ schema, example }: Parameter): string {
  const notes = [
    boundsOf(schema),
    ...(schema.default === undefined ? [] : [`default ${code(String(schema.default))}`]),
    ...(example === undefined || schema.enum ? [] : [`for example ${code([example].flat().join(', '))}`]),
  ].filter(Boolean);
  return notes.length > 0 ? `<p class="soft">${notes.join(', ')}</p>` : '';
}

function parameterRow(parameter: Parameter, { named, shared, common }: Place, isWhole: boolean): string {
  const { name, in: where, required, description = '', schema } = parameter;
  const isShared =
    !isWhole && shared.parameters.some((candidate) => candidate.name === name && candidate.description === description);
  const words = isShared
    ? `${inlineHtml(firstSentence(description))} <a href="${common}#parameter-${name}">More</a>`
    : inlineHtml(description);
  const type = `${typeOf(schema, named)}${where === 'path' ? ', in the path' : ''}`;
  const need = required ? '<span class="required">required</span>' : '';
  return `<tr${isWhole ? ` id="parameter-${name}"` : ''}><th scope="row">${code(name)}<span class="type">${escapeHtml(type)}</span>${need}</th>\
<td><p>${words}</p>${isShared ? '' : choicesHtml(schema)}${factsOf(parameter)}</td></tr>`;
}

/** `isWhole` prints full descriptions. Otherwise, a shared parameter links to its description. */
export const parametersHtml = (parameters: readonly Parameter[], place: Place, isWhole = false) =>
  `<table class="fields"><tbody>${parameters.map((parameter) => parameterRow(parameter, place, isWhole)).join('\n')}</tbody></table>`;

/** Hides the first list, and all text after it, behind a toggle. */
function descriptionHtml(description: string): string {
  const start = description.search(/\n\n\* /);
  if (start < 0) return toHtml(description);
  const details = toHtml(description.slice(start));
  return `${toHtml(description.slice(0, start))}\n<details><summary>Details</summary>\n${details}</details>`;
}

function responseHtml({ status, description, schema, csv }: DocumentedResponse, named: NamedSchemas): string {
  const type = schema ? ` <span class="type">${escapeHtml(typeOf(schema, named))}</span>` : '';
  return `<h3>Response ${status}${type}</h3>
<p>${inlineHtml(description)}${csv === undefined ? '' : ' With <code>format=csv</code>: CSV.'}</p>
${schema ? fieldsHtml(schema, named) : ''}`;
}

const bodyHtml = (body: Schema, named: NamedSchemas) => `<h3>Body <span class="type">application/json</span></h3>
${fieldsHtml(body, named)}`;

function problemsHtml(entry: Entry, { basePath, common, shared }: Place): string {
  if (entry.problems.length === 0) return '';
  const own = ownProblems(entry, shared);
  const links = own.map(
    ({ status, code }) => `<li>${status} <a href="${basePath}/docs/problems#${code}"><code>${code}</code></a></li>`,
  );
  const list = links.length > 0 ? `<ul class="codes">${links.join('')}</ul>` : '';
  return `<h3>Problems</h3>\n${list}<p class="soft">${list && 'And '}<a href="${common}#shared-problems">${list ? 'the' : 'The'} problems of all paths</a>.</p>`;
}

function headersHtml({ headers }: Entry, { shared, common }: Place): string {
  const own = headers
    .filter((name) => !shared.headers.has(name))
    .map((name) => `<a href="${common}#header-${name}">${code(name)}</a>`);
  return own.length > 0 ? `<p>Headers: ${own.join(', ')}.</p>` : '';
}

function samplesHtml(entry: Entry, { basePath, named }: Place): string {
  const samples = samplesOf(entry, basePath, named);
  const requests = memberNames(LANGUAGES).map(
    (name) =>
      `<div class="sample" data-language="${name}" data-label="${LANGUAGES[name]}">${codeHtml(samples[name], name)}</div>`,
  );
  const shown = exampleResponses(entry).map(
    ({ label, language, text }) => `<p class="label">${label}</p>\n${codeHtml(text, language)}`,
  );
  return `<div class="languages"></div>
${requests.join('\n')}
${shown.join('\n')}`;
}

export function operationHtml(entry: Entry, place: Place): string {
  const { id, method, path, title, description, parameters, body, successes } = entry;
  const { named } = place;
  return `<section id="${escapeHtml(id)}" class="operation" data-method="${method}" data-path="${escapeHtml(place.basePath + path)}">
<h2><a href="#${escapeHtml(id)}">${inlineHtml(title)}</a></h2>
<p class="address">${methodHtml(method)} ${pathHtml(path)}</p>
<p class="to-try"><a href="#${escapeHtml(tryId(id))}">Try it<span class="unseen">: ${escapeHtml(title)}</span></a></p>
<div class="columns"><div class="description">
<p class="terms">${inlineHtml(termsOf(entry))}</p>
${descriptionHtml(description)}
${parameters.length > 0 ? `<h3>Parameters</h3>\n${parametersHtml(parameters, place)}` : ''}
${body ? bodyHtml(body, named) : ''}
${successes.map((response) => responseHtml(response, named)).join('\n')}
${headersHtml(entry, place)}
${problemsHtml(entry, place)}
</div><div class="shown">
${samplesHtml(entry, place)}
</div></div>
${tryHtml(entry, named)}
</section>`;
}
