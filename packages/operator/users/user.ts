import type { Usage } from '../../client/index.ts';
import { byId, make, makeButton } from '../../pages/dom.ts';
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
  const loader = openLoader(content, byId('user-problem'));
  let shown: number | undefined;

  function start(key: number, { question, done }: Action): void {
    ask({
      ...question,
      async act(values) {
        const result = await question.act(values);
        report(done(values));
        // A new key is shown without waiting for the view.
        const loaded = load(key);
        if (!result) await loaded;
        return result;
      },
    });
  }

  function write([user, byKey, byPath]: Loaded): void {
    title.replaceChildren(identityOf(user), ' ', stateTag(user.state));
    const buttons = actionsOf(api, user).map((action) =>
      makeButton(action.label, () => start(user.key, action), action.isDangerous ? 'danger' : ''),
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
      make('p', { class: 'soft' }, audit),
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

  const load = (key: number) =>
    loader.load(() => Promise.all([api.user(key), api.usage(key, 'key'), api.usage(key, 'path')]), write);

  function clear(): void {
    loader.cancel();
    content.replaceChildren();
    title.textContent = 'User';
    shown = undefined;
  }

  return {
    async show({ id }) {
      const key = Number(id);
      // Data of another user never stays visible.
      if (key !== shown) clear();
      if (shown === undefined) title.textContent = `User ${key}`;
      shown = key;
      await load(key);
    },
    clear,
  };
}
