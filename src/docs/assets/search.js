/** @typedef {{ title: string, note: string, href: string, words: string, isField?: true }} Listed */
/** @typedef {{ title: string, note: string, href: string, name: string, text: ReadonlySet<string>, isField: boolean }} Entry */

/** The maximum number of results: as many as fit above a phone's keyboard. */
const MOST = 8;

/** Removes a plural ending, so that `currencies` matches `currency`. @param {string} word */
const singular = (word) =>
  word.length < 4
    ? word
    : word
        .replace(/ies$/, 'y')
        .replace(/(ss|sh|x)es$/, '$1')
        .replace(/([^s])s$/, '$1');

/** The words of a text, in the singular. @param {string} text */
const wordsOf = (text) => new Set((text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map(singular));

/** @param {string} address the URL of the index, which the service builds */
export async function loadEntries(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`search index: ${response.status}`);
  const listed = /** @type {Listed[]} */ (await response.json());
  return listed.map(({ title, note, href, words, isField = false }) => ({
    ...{ title, note, href, isField, text: wordsOf(words) },
    name: `${title} ${note}`.toLowerCase(),
  }));
}

/**
 * The entries that contain every word of a query. Entries whose title contains all words come first, then entries whose
 * title contains some of them.
 * @param {readonly Entry[]} entries
 * @param {string} query
 */
export function search(entries, query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const [first] = words;
  if (first === undefined) return [];
  const whole = words.join(' ');
  const meant = [...wordsOf(query)];
  /** @param {Entry} entry */
  const rank = ({ title, name: named, text, isField }) => {
    const name = title.toLowerCase();
    // The singular must start a word: “cors” does not mean “record”.
    const isNamed = (/** @type {string} */ word) => named.includes(word) || ` ${named}`.includes(` ${singular(word)}`);
    // A field of an operation ranks below an operation with the same name.
    if (words.every(isNamed))
      return isField ? 3.5 : name === whole ? 0 : name.startsWith(first) ? 1 : name.includes(first) ? 2 : 3;
    if (meant.length === 0 || !meant.every((word) => text.has(word))) return Infinity;
    const own = wordsOf(title);
    return meant.some((word) => own.has(word)) ? 4 : 5;
  };
  return entries
    .map((entry) => ({ entry, place: rank(entry) }))
    .filter(({ place }) => place < Infinity)
    .sort((a, b) => a.place - b.place)
    .slice(0, MOST)
    .map(({ entry }) => entry);
}
