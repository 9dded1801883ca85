/** @typedef {ReturnType<typeof openKey>} Key */

/** How long another tab may take to tell its key, in ms. */
const ANSWER_MS = 200;

/** @param {() => Storage} storage @param {string} name */
function read(storage, name) {
  try {
    return storage().getItem(name) ?? '';
  } catch {
    // The browser blocks what sites store.
    return '';
  }
}

/**
 * The key of whoever is signed in in the console, in this tab, on this device or in another tab; or one that was typed
 * in, which is kept nowhere.
 * @param {string} basePath with a slash at its end
 */
export function openKey(basePath) {
  const name = `quotient:key:${basePath}`;
  let typed = '';
  let ofOtherTab = '';
  let isAsking = false;
  /** The keys whose session has ended elsewhere. @type {Set<string>} */
  const ended = new Set();
  /** The keys that were replaced elsewhere, each with its successor. @type {Map<string, string>} */
  const replaced = new Map();
  /** @type {(() => void)[]} */
  const listeners = [];
  const notify = () => {
    for (const listener of listeners) listener();
  };
  const kept = () => {
    const key = read(() => sessionStorage, name) || read(() => localStorage, name) || ofOtherTab;
    return replaced.get(key) ?? key;
  };

  /** @param {MessageEvent} message */
  function hear({ data }) {
    if (data?.type === 'key' && typeof data.key === 'string') {
      // Tabs answer others too, who may be of another user.
      if (!isAsking) return;
      isAsking = false;
      ofOtherTab = data.key;
    } else if (data?.type === 'changed' && data.from !== data.to) replaced.set(data.from, data.to);
    else if (data?.type === 'ended') ended.add(data.key ?? data.by);
    else return;
    notify();
  }

  try {
    const tabs = new BroadcastChannel(name);
    tabs.addEventListener('message', hear);
    if (!kept()) {
      isAsking = true;
      setTimeout(() => {
        isAsking = false;
      }, ANSWER_MS);
      tabs.postMessage({ type: 'ask' });
    }
  } catch {
    // The browser lets tabs share nothing.
  }
  addEventListener('pageshow', notify);

  return {
    /** Empty where none is known. */
    get value() {
      const key = kept();
      return typed || (ended.has(key) ? '' : key);
    },
    /** Tells the key to whoever looks over the shoulder no more than the service's own list of keys does. */
    get start() {
      return `${this.value.slice(0, 7)}…`;
    },
    /** @param {string} key */
    type(key) {
      typed = key;
      notify();
    },
    /** @param {() => void} listener */
    onChange: (listener) => void listeners.push(listener),
  };
}
