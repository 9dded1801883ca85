import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** Serialised bodies that are kept for the next who asks, in bytes. */
const KEPT_BYTES = 32 * 1024 * 1024;

/** A body as it goes out, and the strong validator of it (RFC 9110, with its quotes). */
export type Body = { readonly text: string; readonly etag: string };

export function bodyOf(text: string): Body {
  return { text, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"` };
}

/** Bodies by a key that names all they were made from, so that a kept one is never an old one. */
export function createBodies() {
  const bodies = new LRUCache<string, Body>({
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ text }, key) => text.length + key.length,
  });

  return {
    kept(key: string, make: () => string): Body {
      const known = bodies.get(key);
      if (known) return known;
      const body = bodyOf(make());
      bodies.set(key, body);
      return body;
    },
  };
}
