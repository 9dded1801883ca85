import type { ApiKey, QuotientError } from '../../client/index.ts';
import { serviceNow } from '../../pages/clock.ts';
import { byId } from '../../pages/dom.ts';
import { type OnError, toError } from '../../pages/problem.ts';
import type { Ask } from '../../pages/question.ts';
import { openDataAge } from '../api/figures.ts';
import type { Access, Session } from '../api/session.ts';
import { openChangeKey, openNewKey } from './key-dialogs.ts';
import { openKeyGuideDialog } from './key-guide.ts';
import { canManage, isOwner, keyInUse, makeKeyItem, openExposedKey } from './key-texts.ts';

type Events = {
  onAccess: (access: Access) => void;
  /** The keys of the account; empty if the key cannot list them. */
  onKeys: (keys: readonly ApiKey[]) => void;
  onOwnKeyRevoked: () => void;
  /** The user selected Replace for the key that this page uses. */
  onReplace: () => void;
  onError: OnError;
};

const RESTRICTED =
  'This key cannot manage the account. To list, create, replace, renew or delete keys, sign in with the owner key.';
const REPLACED =
  'This key has been replaced. Until it expires, it can read data but cannot manage the account. Sign in with the new key.';
const LAPSED = 'To create or revoke keys, renew the account.';
const EXPLANATION =
  'All keys share one allowance. Use the owner key to manage the account, and a separate key for each page and program.';

export function openKeys(
  session: Session,
  ask: Ask,
  { onAccess, onKeys, onOwnKeyRevoked, onReplace, onError }: Events,
) {
  const panel = byId('keys');
  const list = byId('key-list');
  const note = byId('keys-note');
  const problem = byId('keys-problem');
  const newKey = byId('new-key');
  const exposed = openExposedKey();
  const showAge = openDataAge(byId('keys-age'));
  let readAt: Date | undefined;
  newKey.addEventListener('click', openNewKey(session, load));
  const changeKey = openChangeKey(session, load);
  const showCode = openKeyGuideDialog(session.baseUrl);

  function show(access: Access, text: string): void {
    note.textContent = text;
    newKey.hidden = true;
    onAccess(access);
  }

  function confirmRevocation(id: number, name: string, isInUse: boolean): void {
    const consequence = isInUse ? ' You are signed in with this key. You will be signed out.' : '';
    ask({
      texts: [`Revoke “${name}”?`, 'Revoke', 'Revoking…'],
      effect: () => `Calls with this key are rejected within seconds. This cannot be undone.${consequence}`,
      isDangerous: true,
      async act() {
        await session.client.deleteKey(id);
        if (isInUse) onOwnKeyRevoked();
        else await load();
      },
    });
  }

  async function load(): Promise<void> {
    const { client } = session;
    try {
      const isLapsed = (session.user?.validUntil.getTime() ?? 0) <= serviceNow();
      // An expired account can list its keys, but not read its usage.
      const usage = isLapsed ? undefined : client.usage({ by: 'key' });
      const [keys, used] = await Promise.all([client.keys(), usage]);
      if (client !== session.client) return;
      const now = serviceNow();
      const inUse = keyInUse(keys, session.key);
      const isReplaced = inUse !== undefined && inUse.replacedAt !== null;
      const owners = keys.filter(canManage);
      exposed.show(keys);
      const ownersFirst = keys.toSorted((a, b) => Number(isOwner(b)) - Number(isOwner(a)));
      const items = ownersFirst.map((key) => {
        const isFixed = isReplaced || isLapsed || key.replacedAt !== null;
        return makeKeyItem(key, now, {
          isInUse: key === inUse,
          usage: used?.keys?.find(({ id }) => id === key.id),
          showCode: isFixed ? undefined : () => showCode(key),
          change: isFixed ? undefined : () => changeKey(key),
          replace: key === inUse && canManage(key) && !isLapsed ? onReplace : undefined,
          // Without an owner key, the account cannot be managed, so the last owner key cannot be revoked.
          revoke:
            isReplaced || isLapsed || (owners.length === 1 && owners[0] === key)
              ? undefined
              : (name) => confirmRevocation(key.id, name, key === inUse),
        });
      });
      list.replaceChildren(...items);
      onKeys(keys);
      problem.replaceChildren();
      readAt = new Date(now);
      showAge(undefined);
      if (isReplaced) show('none', REPLACED);
      else show('owner', isLapsed ? LAPSED : EXPLANATION);
      newKey.hidden = isReplaced || isLapsed;
    } catch (thrown) {
      if (client === session.client) fail(toError(thrown));
    } finally {
      panel.setAttribute('aria-busy', 'false');
    }
  }

  function fail(error: QuotientError): void {
    if (error.code === 'scope_missing') {
      clear();
      show('none', RESTRICTED);
      return;
    }
    if (readAt) showAge({ fetchedAt: readAt, stale: undefined, failure: error });
    else show('unknown', '');
    onError(error, problem, load, readAt !== undefined);
  }

  function clear(): void {
    exposed.clear();
    onKeys([]);
    list.replaceChildren();
    problem.replaceChildren();
    newKey.hidden = true;
    note.textContent = '';
    readAt = undefined;
    showAge(undefined);
  }

  return { load };
}
