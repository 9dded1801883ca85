/** @typedef {ReturnType<typeof openKey>} Key */

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
  let hasEnded = false;
  /** @type {(() => void)[]} */
  const listeners = [];
  const notify = () => {
    for (const listener of listeners) listener();
  };
  const kept = () => read(() => sessionStorage, name) || read(() => localStorage, name) || ofOtherTab;

  /** @param {MessageEvent} message */
  function hear({ data }) {
    if (data?.type === 'key' && typeof data.key === 'string') ofOtherTab = data.key;
    else if (data?.type === 'changed' && data.from === ofOtherTab) ofOtherTab = data.to;
    else if (data?.type === 'ended') hasEnded = true;
    else return;
    notify();
  }

  try {
    const tabs = new BroadcastChannel(name);
    tabs.addEventListener('message', hear);
    if (!kept()) tabs.postMessage({ type: 'ask' });
  } catch {
    // The browser lets tabs share nothing.
  }
  addEventListener('pageshow', notify);

  return {
    /** Empty where none is known. */
    get value() {
      return typed || (hasEnded ? '' : kept());
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
