import type { Usage } from '../../client/index.ts';
import { byId, make, makeButton, softText } from '../../pages/dom.ts';
import type { Context, View } from '../core/context.ts';
import { openLoader } from '../core/loader.ts';
import { fragmentOf } from '../core/router.ts';
import type { OperatorUserDetail } from '../generated/records.ts';
import { actionsOf } from './actions.ts';
import { type Action, revocationOf } from './key-actions.ts';
import { accountPanel, creditsPanel, keysPanel, suspensionNote } from './panels.ts';
import { usagePanel } from './usage.ts';
import { identityOf, stateTag } from './words.ts';

type Loaded = readonly [user: OperatorUserDetail, byKey: Usage, byPath: Usage];

/** One user, with all changes. */
export function openUser({ api, ask, report }: Context): View {
  const content = byId('user-content');
  const title = byId('user-title');
  const problem = byId('user-problem');
  const load = openLoader(content, problem);
  let shown: number | undefined;

  function start(key: number, action: Action): void {
    ask({
      ...action,
      async act(values) {
        const result = await action.act(values);
        report(action.done(values));
        // A new key is shown without waiting for the view.
        const loaded = loadUser(key);
        if (!(result instanceof Node)) await loaded;
        return result;
      },
    });
  }

  function write([user, byKey, byPath]: Loaded): void {
    title.replaceChildren(identityOf(user), ' ', stateTag(user.state));
    const buttons = actionsOf(api, user).map((action) =>
      makeButton(action.label, () => start(user.key, action), action.isFinal ? 'danger' : ''),
    );
    const audit = make('a', { href: fragmentOf('audit', { user: String(user.key) }) }, 'Audit log of this user');
    const revoke = (key: OperatorUserDetail['apiKeys'][number]) => {
      const action = revocationOf(api, user, key);
      return action && (() => start(user.key, action));
    };
    const actions = make(
      'section',
      { class: 'panel actions', 'aria-label': 'Actions' },
      make('div', { class: 'row' }, ...buttons),
      softText(audit),
    );
    content.replaceChildren(
      ...suspensionNote(user),
      actions,
      make(
        'div',
        { class: 'columns' },
        make('div', {}, accountPanel(user), creditsPanel(user)),
        make('div', {}, usagePanel(user, byKey, byPath, Date.now()), keysPanel(user.apiKeys, revoke)),
      ),
    );
  }

  const loadUser = (key: number) =>
    load(() => Promise.all([api.user(key), api.usage(key, 'key'), api.usage(key, 'path')]), write);

  return ({ id }) => {
    const key = Number(id);
    // Data of another user never stays visible.
    if (key !== shown) {
      for (const part of [content, problem]) part.replaceChildren();
      title.textContent = `User ${key}`;
    }
    shown = key;
    return loadUser(key);
  };
}
