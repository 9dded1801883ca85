import { escapeHtml } from '#core/record-fields';
import { inlineCodeHtml as code, codeHtml, inlineHtml, toHtml } from '#docs/markdown';
import type { NamedSchemas, Parameter, Schema } from '#docs/openapi/schemas';
import { bodyExample, exampleText, LANGUAGES, type Language, samplesOf } from './code-samples.ts';
import type { Answer, Entry, Shared } from './document.ts';
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
        .map((one) => `<option${required && one === text ? ' selected' : ''}>${escapeHtml(one)}</option>`)
        .join('')}</select>`
    : `<input ${attributes}${required ? ` required value="${text}"` : ` placeholder="${text}"`}>`;
  return `<label class="field"><span>${escapeHtml(name)}${required ? '' : ' <span class="soft">optional</span>'}</span>${field}</label>`;
}

/** The form that calls this service. A script sends it. Without scripts, it is hidden. */
function tryHtml(entry: Entry, named: NamedSchemas): string {
  const { parameters, body, price, takesKey, title } = entry;
  const question = questionOf(entry);
  const fields = parameters.map(fieldHtml);
  if (body) {
    const text = escapeHtml(JSON.stringify(bodyExample(body, named), null, 2));
    fields.push(
      `<label class="field wide">Body<textarea name="body" data-in="body" rows="6">${text}</textarea></label>`,
    );
  }
  const cost = price === undefined ? 'Free of charge.' : `Costs ${escapeHtml(price)} of your allowance.`;
  return `<details class="try"><summary>Try it<span class="unseen">: ${escapeHtml(title)}</span></summary>
<form autocomplete="off" spellcheck="false"${takesKey ? ' data-key' : ''}${price === undefined ? '' : ' data-priced'}\
${question ? ` data-question="${escapeHtml(question)}"` : ''}>
<div class="fields-to-fill">${fields.join('\n')}</div>
<div class="send"><button type="submit" class="primary">Send</button><span class="soft">${cost}</span></div>
<div class="result"></div>
</form></details>`;
}

export type Place = { basePath: string; named: NamedSchemas; shared: Shared };

export const methodHtml = (method: string) =>
  `<span class="method ${method.toLowerCase()}">${method === 'DELETE' ? 'DEL' : method}</span>`;

/** `<wbr>` lets a long path break after its slashes. */
const pathHtml = (path: string) => `<span>${escapeHtml(path).replaceAll('/', '/<wbr>')}</span>`;
const firstSentence = (text: string) => /^.+?[.;](?= |$)/.exec(text)?.[0].replace(/;$/, '.') ?? text;

function factsOf({ schema, example }: Parameter): string {
  const facts = [
    boundsOf(schema),
    ...(schema.default === undefined ? [] : [`default ${code(String(schema.default))}`]),
    ...(example === undefined || schema.enum ? [] : [`for example ${code([example].flat().join(', '))}`]),
  ].filter(Boolean);
  return facts.length > 0 ? `<p class="soft">${facts.join(', ')}</p>` : '';
}

function parameterRow(parameter: Parameter, { named, shared }: Place, isWhole: boolean): string {
  const { name, in: where, required, description = '', schema } = parameter;
  const isShared = !isWhole && shared.parameters.some((one) => one.name === name && one.description === description);
  const words = isShared
    ? `${inlineHtml(firstSentence(description))} <a href="#parameter-${name}">More</a>`
    : inlineHtml(description);
  const type = `${typeOf(schema, named)}${where === 'path' ? ', in the path' : ''}`;
  const need = required ? '<span class="required">required</span>' : '';
  return `<tr${isWhole ? ` id="parameter-${name}"` : ''}><th scope="row">${code(name)}<span class="type">${escapeHtml(type)}</span>${need}</th>\
<td><p>${words}</p>${isShared ? '' : choicesHtml(schema)}${factsOf(parameter)}</td></tr>`;
}

/** `isWhole` prints full descriptions. Otherwise, a shared parameter links to its description. */
export const parametersHtml = (parameters: readonly Parameter[], place: Place, isWhole = false) =>
  `<table class="fields"><tbody>${parameters.map((one) => parameterRow(one, place, isWhole)).join('\n')}</tbody></table>`;

/** Hides the first list and everything after it behind a toggle. */
function descriptionHtml(description: string): string {
  const start = description.search(/\n\n\* /);
  if (start < 0) return toHtml(description);
  const details = toHtml(description.slice(start));
  return `${toHtml(description.slice(0, start))}\n<details><summary>Details</summary>\n${details}</details>`;
}

function termsHtml({ price, takesKey, scope }: Entry): string {
  const key = !takesKey
    ? 'No key required'
    : scope === undefined || scope === 'any'
      ? 'Any key'
      : scope === 'account'
        ? 'Owner key (scope <code>account</code>)'
        : `Key with the scope ${code(scope)}`;
  return `<p class="terms">${price === undefined ? 'Free' : `Costs ${escapeHtml(price)}`} · ${key}</p>`;
}

function answerHtml({ status, description, schema, csv }: Answer, named: NamedSchemas): string {
  const type = schema ? ` <span class="type">${escapeHtml(typeOf(schema, named))}</span>` : '';
  return `<h4>Response ${status}${type}</h4>
<p>${inlineHtml(description)}${csv === undefined ? '' : ' With <code>format=csv</code>: CSV.'}</p>
${schema ? fieldsHtml(schema, named) : ''}`;
}

const bodyHtml = (body: Schema, named: NamedSchemas) => `<h4>Body <span class="type">application/json</span></h4>
${fieldsHtml(body, named)}`;

/** The operation's problems, except shared problems, which are documented once. */
function problemsHtml({ problems }: Entry, { basePath, shared }: Place): string {
  const said = new Set(Object.values(shared.codes).flat());
  const own = problems.filter(({ code }) => !said.has(code));
  const links = own.map(
    ({ status, code }) => `<li>${status} <a href="${basePath}/docs/problems#${code}"><code>${code}</code></a></li>`,
  );
  const list = links.length > 0 ? `<ul class="codes">${links.join('')}</ul>` : '';
  return `<h4>Problems</h4>\n${list}<p class="soft">${list && 'And '}<a href="#shared-problems">${list ? 'the' : 'The'} problems of all paths</a>.</p>`;
}

function headersHtml({ headers }: Entry, { shared }: Place): string {
  const own = headers
    .filter((name) => !shared.headers.has(name))
    .map((name) => `<a href="#header-${name}">${code(name)}</a>`);
  return own.length > 0 ? `<p>Headers: ${own.join(', ')}.</p>` : '';
}

const jsonText = (value: unknown) => JSON.stringify(value, null, 2);

function samplesHtml(entry: Entry, { basePath, named }: Place): string {
  const samples = samplesOf(entry, basePath, named);
  const languages = Object.entries(LANGUAGES) as [Language, string][];
  const requests = languages.map(
    ([name, label]) =>
      `<div class="sample" data-language="${name}" data-label="${label}">${codeHtml(samples[name])}</div>`,
  );
  const answers = entry.answers.flatMap(({ status, example, csv, events }) => [
    ...(events === undefined ? [] : [[`Response ${status}`, events.trimEnd()] as const]),
    ...(example === undefined ? [] : [[`Response ${status}`, jsonText(example)] as const]),
    ...(csv === undefined ? [] : [[`Response ${status}, CSV`, csv.trimEnd()] as const]),
  ]);
  const shown = answers.map(([label, text]) => `<p class="label">${label}</p>\n${codeHtml(text)}`);
  return `<div class="languages"></div>
${requests.join('\n')}
${shown.join('\n')}`;
}

export function operationHtml(entry: Entry, place: Place): string {
  const { id, method, path, title, description, parameters, body, answers } = entry;
  const { named } = place;
  return `<section id="${escapeHtml(id)}" class="operation" data-method="${method}" data-path="${escapeHtml(place.basePath + path)}">
<h3><a href="#${escapeHtml(id)}">${inlineHtml(title)}</a></h3>
<p class="address">${methodHtml(method)} ${pathHtml(path)}</p>
<div class="columns"><div class="description">
${termsHtml(entry)}
${descriptionHtml(description)}
${parameters.length > 0 ? `<h4>Parameters</h4>\n${parametersHtml(parameters, place)}` : ''}
${body ? bodyHtml(body, named) : ''}
${answers.map((answer) => answerHtml(answer, named)).join('\n')}
${headersHtml(entry, place)}
${problemsHtml(entry, place)}
</div><div class="shown">
${samplesHtml(entry, place)}
</div></div>
${tryHtml(entry, named)}
</section>`;
}
