/*
 * The first import of whatever is run: a Node that is too old ends here, with one line in place of an error of whichever
 * package fails first. It imports nothing, and has to be read by that Node: nothing newer than ES2020.
 */

/** What undici 8 needs; `engines` in package.json says the same. */
const OLDEST = [22, 19] as const;

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
  process.stderr.write(`Quotient needs Node ${OLDEST.join('.')} or newer; this is ${process.version}.\n`);
  process.exit(2);
}

export {};
