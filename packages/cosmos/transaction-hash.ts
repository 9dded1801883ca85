/** The part of WebCrypto that is used here. */
type Digests = { digest(algorithm: 'SHA-256', data: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> };

/** WebCrypto, which Node has under a global name since 20 alone. */
async function webCrypto(): Promise<Digests> {
  if (globalThis.crypto?.subtle) return globalThis.crypto.subtle;
  try {
    // The name is kept from bundlers: no browser gets here but one that has WebCrypto switched off.
    const name = 'node:crypto';
    const { webcrypto } = (await import(/* @vite-ignore */ /* webpackIgnore: true */ name)) as {
      webcrypto: { subtle: Digests };
    };
    return webcrypto.subtle;
  } catch (cause) {
    throw new Error('There is no WebCrypto here: a browser has it on https and localhost alone.', { cause });
  }
}

/** The hash of a transaction in base64: its SHA-256 in upper-case hex. Throws `RangeError` for other text. */
export async function txHashOf(txBytes: string): Promise<string> {
  let binary: string;
  try {
    binary = atob(txBytes);
  } catch (cause) {
    throw new RangeError('The bytes of a transaction are given in base64.', { cause });
  }
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  const digest = new Uint8Array(await (await webCrypto()).digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0'))
    .join('')
    .toUpperCase();
}
