// First import of every entry point: ends an old Node with one line. No imports, no syntax newer than ES2020.

/** Required by undici 8; the same as `engines` in package.json. */
const OLDEST = [22, 19] as const;
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
  process.stderr.write(`Quotient needs Node ${OLDEST.join('.')} or newer; this is ${process.version}.\n`);
  process.exit(2);
}

export {};
