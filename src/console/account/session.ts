import { type Answer, QuotientClient, type User } from '../../client/index.ts';

/** Nobody waits longer than this in front of a screen. */
const TIMEOUT_MS = 20_000;

/**
 * The signed-in user, the key, and a client that uses it. The key is kept in this closure only, unless the user
 * wants it remembered.
 */
export function createSession(base: URL) {
  // The path is part of the name, since two services can run on one host.
  const storageKey = `quotient:key:${base.pathname}`;
  const recall = () => localStorage.getItem(storageKey) ?? undefined;
  let key = '';
  let user: User | undefined;
  const listeners: ((answer: Answer) => void)[] = [];
  const anonymous = new QuotientClient({
    baseUrl: base.href,
    timeout: TIMEOUT_MS,
    onAnswer: (answer) => {
      for (const listener of listeners) listener(answer);
    },
  });
  let client = anonymous;
  /** Whether this key is, and not one of another user. */
  const isRemembered = () => key !== '' && recall() === key;

  return {
    baseUrl: base.href,
    /** The client without a key. */
    anonymous,
    /** The client with the key, once there is one. */
    get client(): QuotientClient {
      return client;
    },
    get user(): User | undefined {
      return user;
    },
    /** The key; empty when nobody is signed in. */
    get key(): string {
      return key;
    },
    onAnswer: (listener: (answer: Answer) => void) => void listeners.push(listener),

    /** Continues as the user that registering, replacing the key, renewing or a mail's link returned. */
    continueAs(next: User): void {
      // If the user's old key was remembered, the new one is too.
      if (isRemembered() && user?.key === next.key) localStorage.setItem(storageKey, next.apiKey);
      key = next.apiKey;
      user = next;
      client = anonymous.withKey(next.apiKey);
    },

    /** Signs in with a key. Free, and possible with an expired key. Rejects as the client does. */
    async signIn(given: string): Promise<void> {
      const next = anonymous.withKey(given);
      user = await next.user();
      key = given;
      client = next;
    },

    signOut(): void {
      key = '';
      user = undefined;
      client = anonymous;
      localStorage.removeItem(storageKey);
    },

    /** The key that is remembered on this device. */
    recall,
    isRemembered,
    setRemembered(on: boolean): void {
      if (on && key !== '') localStorage.setItem(storageKey, key);
      else localStorage.removeItem(storageKey);
    },
  };
}

export type Session = ReturnType<typeof createSession>;
