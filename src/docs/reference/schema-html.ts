import { escapeHtml } from '#core/forms/record-fields';
import { inlineCodeHtml as code, inlineHtml } from '#docs/markdown';
import { type NamedSchemas, resolve, type Schema } from '#docs/openapi/schemas';

/** The number of choices above which a list is folded. */
export const MANY_CHOICES = 8;
/** These bounds are ignored, because zod adds the safe-integer bounds to every integer schema. */
const isBound = (value: unknown): value is number => Number.isFinite(value) && Math.abs(Number(value)) < 2 ** 53 - 1;

/** `1 to 100`, `from 1` or `at most 100`; empty without bounds. */
function between(low: unknown, high: unknown): string {
  if (isBound(low) && isBound(high)) return `${low} to ${high}`;
  if (isBound(low)) return `from ${low}`;
  return isBound(high) ? `at most ${high}` : '';
}

export function boundsOf(schema: Schema): string {
  const { exclusiveMinimum: above, minLength, maxLength, maxItems } = schema;
  const low = schema.minimum ?? (isBound(above) ? above + 1 : undefined);
  const characters = between(minLength, maxLength);
  const items = between(undefined, maxItems);
  return [between(low, schema.maximum), characters && `${characters} characters`, items && `${items} items`]
    .filter(Boolean)
    .join(', ');
}

/** `number or null`, `array of string`. */
export function typeOf(schema: Schema, named: NamedSchemas): string {
  const { type, anyOf, items, format, enum: choices, const: only } = resolve(schema, named);
  if (anyOf) return [...new Set(anyOf.map((choice) => typeOf(choice, named)))].join(' or ');
  if (only !== undefined) return JSON.stringify(only);
  const names = [type ?? (choices ? 'string' : 'any')].flat().map((name) => {
    if (name === 'array' && items) return `array of ${typeOf(items, named)}`;
    return name === 'string' && typeof format === 'string' ? format : name;
  });
  return names.join(' or ');
}

export function choicesHtml({ enum: choices = [] }: Schema): string {
  if (choices.length === 0) return '';
  const all = choices.map((choice) => code(String(choice)));
  if (all.length <= MANY_CHOICES) return `<p>${all.join(' ')}</p>`;
  return `<details><summary>${all.length} values</summary><p>${all.join(' ')}</p></details>`;
}

function objectIn(schema: Schema, named: NamedSchemas): Schema | undefined {
  const whole = resolve(schema, named);
  if (whole.properties && Object.keys(whole.properties).length > 0) return whole;
  const inner = [whole.items, ...(whole.anyOf ?? [])].filter((schema) => schema !== undefined);
  return inner.map((schema) => objectIn(schema, named)).find((schema) => schema !== undefined);
}

/** The fields of the object in a schema, if it contains one. `path` names the object around them. */
export function fieldsOf(schema: Schema, named: NamedSchemas, path = '') {
  const object = objectIn(schema, named);
  const required = new Set(object?.required);
  return Object.entries(object?.properties ?? {}).map(([name, member]) => {
    const field = resolve(member, named);
    const type = [typeOf(member, named), boundsOf(field), required.has(name) ? '' : 'optional'].filter(Boolean);
    const words = String(member.description ?? field.description ?? '');
    return { name, full: path ? `${path}.${name}` : name, member, field, type: type.join(', '), words };
  });
}

function fieldRow(
  { name, full, member, field, type, words }: ReturnType<typeof fieldsOf>[number],
  named: NamedSchemas,
) {
  const row = `<tr><th scope="row">${code(name)}<span class="type">${escapeHtml(type)}</span></th>\
<td>${inlineHtml(words)}${choicesHtml(field)}</td></tr>`;
  const nested = fieldsHtml(member, named, full);
  return nested
    ? `${row}\n<tr class="nested"><td colspan="2"><details><summary>Fields of ${code(full)}</summary>
${nested}</details></td></tr>`
    : row;
}

/** The fields as a table with folded nested objects. Empty if the schema contains no object. */
export function fieldsHtml(schema: Schema, named: NamedSchemas, path = ''): string {
  const rows = fieldsOf(schema, named, path).map((field): string => fieldRow(field, named));
  return rows.length > 0 ? `<table class="fields"><tbody>${rows.join('\n')}</tbody></table>` : '';
}
