/** @typedef {ReturnType<typeof openKey>} Key */

/** How long to wait for the keys of other tabs, in ms. */
const RESPONSE_MS = 200;

/** @param {() => Storage} storage @param {string} name */
function read(storage, name) {
  try {
    return storage().getItem(name) ?? '';
  } catch {
    // The browser blocks storage.
    return '';
  }
}

/**
 * The key of the signed-in user, from this tab, this device or another tab. A key that the user types is not stored.
 * @param {string} basePath ends in a slash
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
      // A message may also be a response to another tab's request, or come from another user's tab.
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
      }, RESPONSE_MS);
      tabs.postMessage({ type: 'ask' });
    }
  } catch {
    // The browser blocks channels between tabs.
  }
  addEventListener('pageshow', notify);

  return {
    /** The key; empty if no key is known. */
    get value() {
      const key = kept();
      return typed || (ended.has(key) ? '' : key);
    },
    /** The first characters of the key, which the service's list of keys also shows. */
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
