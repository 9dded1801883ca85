/*
 * Characters that are not shown, or that change the order of the text around them, make a name look like another name.
 * Joiners and variation selectors are allowed where scripts and emoji need them.
 */

const HIDDEN = String.raw`[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\uFFF9-\uFFFB]`;
const JOINED = String.raw`[[\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}]--[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}]]`;
const JOINER = String.raw`(?<=${JOINED})[\u200C\u200D](?=${JOINED})`;
const SELECTOR = String.raw`(?<=[\p{Extended_Pictographic}\p{Ideographic}])\p{Variation_Selector}`;

const PARTS = new RegExp(`${JOINER}|${SELECTOR}|(${HIDDEN})`, 'gv');
/** Line breaks and indents are part of a JSON text. Within strings, JSON already escapes them. */
const PARTS_OF_JSON = new RegExp(`${JOINER}|${SELECTOR}|(?!\n)(${HIDDEN})`, 'gv');

const escaped = (character: string) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
const escapedInJson = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Writes hidden characters as escapes, such as `\u{202e}`. */
export const visible = (text: string): string =>
  text.replace(PARTS, (part, hidden?: string) => (hidden === undefined ? part : escaped(hidden)));

export const hasHidden = (text: string): boolean => visible(text) !== text;

/** Writes hidden characters as JSON escapes, so that the values stay the same. */
export const visibleJson = (json: string): string =>
  json.replace(PARTS_OF_JSON, (part, hidden?: string) => hidden?.replace(/[\s\S]/g, escapedInJson) ?? part);
