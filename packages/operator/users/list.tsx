import { Tag, Time } from '../../pages/components/figures.tsx';
import { Field } from '../../pages/components/form.tsx';
import { Head } from '../../pages/components/head.tsx';
import { count } from '../../pages/format.ts';
import { Filters, List, optionsOf } from '../core/list.tsx';
import type { Place } from '../core/router.ts';
import { users } from '../core/store.ts';
import { UserCell } from './words.tsx';

const SORTS = [
  ['created', 'newest first'],
  ['usage', 'calls this period'],
  ['lastHour', 'calls last hour'],
] as const;

export const UserList = ({ place }: { place: Place }) => (
  <>
    <Head title="Users" />
    <Filters place={place} label="Search" names={['query', 'sort', 'state', 'plan']}>
      <Field
        class="wide"
        name="query"
        label="Search"
        type="search"
        maxLength={254}
        placeholder="Email, name, number or qt_…"
        hint="users-hint"
      />
      <Field name="sort" label="Sort by" options={SORTS} />
      <Field name="state" label="State" options={optionsOf('states')} />
      <Field name="plan" label="Plan" options={optionsOf('plans')} />
    </Filters>
    <p class="soft" id="users-hint">
      {place.query.sort === 'usage' || place.query.sort === 'lastHour'
        ? 'This order is updated about once a minute. It omits users who have registered since then.'
        : 'Finds a record number, or the start of an email address, of a word of the name or of a key.'}
    </p>
    <List
      place={place}
      of={users}
      label="Users"
      nouns={['user', 'users']}
      kind="links"
      keyOf={({ key }) => key}
      columns={[
        { title: 'User', cell: (user) => <UserCell user={user} /> },
        { title: 'State', cell: ({ state }) => <Tag state={state} /> },
        { title: 'Plan', cell: ({ plan }) => plan },
        { title: 'Calls this period', kind: 'num', cell: ({ used }) => count(used) },
        { title: 'Limit', kind: 'num', cell: ({ periodLimit }) => count(periodLimit) },
        { title: 'Calls last hour', kind: 'num', cell: ({ lastHour }) => count(lastHour) },
        { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} to="date" /> },
      ]}
    />
  </>
);
