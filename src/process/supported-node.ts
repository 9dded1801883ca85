// The first import of every entry point: an old Node exits here with one line instead of an arbitrary error of a
// package. It imports nothing and uses no syntax newer than ES2020.

/** Required by undici 8; the same as `engines` in package.json. */
const OLDEST = [22, 19] as const;
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
  process.stderr.write(`Quotient needs Node ${OLDEST.join('.')} or newer; this is ${process.version}.\n`);
  process.exit(2);
}

export {};
