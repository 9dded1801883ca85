import { byId, make } from '../../pages/dom.ts';
import { fieldOf } from '../../pages/form.ts';
import { count, onDate } from '../../pages/format.ts';
import { isolated } from '../../pages/phrase.ts';
import type { Context, View } from '../core/context.ts';
import { openList } from '../core/list.ts';
import { fillForm, fragmentOf, onFilter } from '../core/router.ts';
import type { OperatorUser } from '../generated/records.ts';
import { nameOf, stateTag } from './words.ts';

function identityCell(user: OperatorUser): HTMLElement {
  const { key, email } = user;
  const link = make('a', { href: `#/users/${key}` }, nameOf(user));
  const identity = email === null ? ['erased'] : [`User ${key} · `, isolated(email)];
  return make('div', { class: 'identity' }, link, make('span', { class: 'soft' }, ...identity));
}

export function openUsers({ api, go }: Pick<Context, 'api' | 'go'>): View {
  const form = byId('users-filter', HTMLFormElement);
  const orderHint = byId('users-order-hint');
  const list = openList<OperatorUser>({
    id: 'users-list',
    label: 'Users',
    view: 'users',
    nouns: ['user', 'users'],
    columns: [
      ['User'],
      ['State'],
      ['Plan'],
      ['Calls this period', 'num'],
      ['Limit', 'num'],
      ['Calls last hour', 'num'],
      ['Created'],
    ],
    cellsOf: (user) => [
      identityCell(user),
      stateTag(user.state),
      user.plan,
      count(user.used),
      count(user.periodLimit),
      count(user.lastHour),
      onDate(user.createdAt),
    ],
    read: api.users,
  });

  onFilter(form, (query) => go(fragmentOf('users', query)));

  return ({ query }) => {
    fillForm(form, query);
    orderHint.hidden = fieldOf(new FormData(form), 'sort') === 'created';
    byId('user-back', HTMLAnchorElement).href = fragmentOf('users', query);
    return list.show(query);
  };
}
