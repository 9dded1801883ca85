import { type Answer, QuotientClient, QuotientError, type User } from '../client/index.ts';
import type { KeyStore } from './key-store.ts';

/** A screen is waited at: a call that takes longer has failed. */
const TIMEOUT_MS = 20_000;

/**
 * Who is here: the key, which lives in this closure and nowhere else unless it is to be remembered, the user it
 * belongs to, and a client that asks with it.
 */
export function createSession(baseUrl: string, store: KeyStore) {
  let key: string | undefined;
  let user: User | undefined;
  const watchers: ((answer: Answer) => void)[] = [];
  const anyone = new QuotientClient({
    baseUrl,
    timeoutMs: TIMEOUT_MS,
    onAnswer: (answer) => {
      for (const watch of watchers) watch(answer);
    },
  });
  let client = anyone;

  return {
    baseUrl,
    /** Asks without a key. */
    anyone,
    /** Asks with the key, once there is one. */
    get client(): QuotientClient {
      return client;
    },
    get user(): User | undefined {
      return user;
    },
    /** The key; empty when nobody is here. */
    get key(): string {
      return key ?? '';
    },
    onAnswer: (watch: (answer: Answer) => void) => void watchers.push(watch),

    /** Goes on with the user, and the key, that registering, replacing or renewing gave. */
    take(given: User): void {
      // Where the key before was remembered, so is its successor.
      if (key !== undefined && store.isRemembered()) store.remember(given.apiKey);
      key = given.apiKey;
      user = given;
      client = anyone.withKey(given.apiKey);
    },

    /** Asks who a key belongs to, free of charge and also when it has expired. Rejects as the client does. */
    async open(given: string): Promise<void> {
      const owner = await clientFor(anyone, given).user();
      key = given;
      user = owner;
      client = anyone.withKey(given);
    },

    leave(): void {
      key = undefined;
      user = undefined;
      client = anyone;
      store.forget();
    },

    /** The key that is remembered on this device. */
    recall: store.recall,
    isRemembered: store.isRemembered,
    setRemembered(on: boolean): void {
      if (on && key !== undefined) store.remember(key);
      else store.forget();
    },
  };
}

/** What cannot be a key, a header could not carry either: told in the same words as one that nobody has. */
function clientFor(anyone: QuotientClient, key: string): QuotientClient {
  try {
    return anyone.withKey(key);
  } catch {
    throw new QuotientError(
      'api_key_invalid',
      'That is no API key: one begins with qt_ and has 41 characters.',
    );
  }
}

export type Session = ReturnType<typeof createSession>;
