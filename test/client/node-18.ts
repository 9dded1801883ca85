/** Language and platform features that the first release of Node 18 lacks, except those that Node's fetch requires. */
const NEWER = [
  'AbortSignal.any',
  'Array.fromAsync',
  'Array.prototype.toReversed',
  'Array.prototype.toSorted',
  'Array.prototype.toSpliced',
  'Array.prototype.with',
  'CustomEvent',
  'Error.isError',
  'File',
  'Iterator',
  'Map.groupBy',
  'Object.groupBy',
  'Promise.try',
  'Promise.withResolvers',
  'RegExp.escape',
  'Set.prototype.difference',
  'Set.prototype.intersection',
  'Set.prototype.isDisjointFrom',
  'Set.prototype.isSubsetOf',
  'Set.prototype.isSupersetOf',
  'Set.prototype.symmetricDifference',
  'Set.prototype.union',
  'Symbol.asyncDispose',
  'Symbol.dispose',
  'URL.canParse',
  'URL.parse',
  'WebSocket',
  'crypto',
  'navigator',
];

/** A script that deletes these features. It fails if a feature is missing. */
export const withoutNewer = `
// Node's own modules use some of these features when they are loaded.
require('node:http');
fetch('http://127.0.0.1:65535').catch(() => undefined);
for (const path of ${JSON.stringify(NEWER)}) {
  const names = path.split('.');
  const last = names.pop();
  const owner = names.reduce((value, name) => value[name], globalThis);
  if (!(last in owner)) throw new Error(path + ' is missing');
  delete owner[last];
}
const iterators = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()));
for (const name of Object.getOwnPropertyNames(iterators)) if (name !== 'constructor') delete iterators[name];
`;
