import { escapeHtml } from '#core/html';
import type { Parameter } from '#docs/openapi/operation-shapes';
import type { NamedSchemas } from '#docs/openapi/schema-examples';
import { bodyExample, exampleText } from './code-samples.ts';
import type { Entry } from './document.ts';
import { MANY_CHOICES } from './schema-html.ts';

/** Names what cannot be undone, in a question; undefined where nothing is lost. */
function questionOf({ method, path, title }: Entry): string | undefined {
  if (method === 'DELETE') return `${title}? This cannot be undone.`;
  if (path.endsWith('/rotate'))
    return `${title}? The answer has the new key, which is shown only once. The old key soon ends.`;
  if (path.endsWith('/recover/confirm')) return `${title}? The owner keys of now end.`;
  return undefined;
}

/** A field for a parameter: filled with its example where it is needed. */
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

/** The form that calls this very service; a script sends it, and without one it is not shown. */
export function tryHtml(entry: Entry, named: NamedSchemas): string {
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
