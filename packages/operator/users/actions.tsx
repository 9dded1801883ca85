import type { ComponentChildren } from 'preact';
import { saveFile } from '../../pages/download.ts';
import { inCalls, onDateAt } from '../../pages/format.ts';
import { valuesOf } from '../core/list.tsx';
import { api } from '../core/store.ts';
import type { OperatorUserDetail } from '../generated/records.ts';
import type { Action } from './action.tsx';
import { replacementOf } from './key-actions.tsx';
import { Identity } from './words.tsx';

const MAX_REASON = 500;
/** Every reason is part of the export that the user can request. */
const reason = (label: string, example: string) =>
  ({ name: 'reason', label, kind: 'text', most: MAX_REASON, placeholder: `Example: ${example}` }) as const;

const wholeOr = (text: string) => (/^\d+$/.test(text) ? inCalls(Number(text)) : '… calls');
const additional = (text: string) => wholeOr(text).replace(' ', ' additional ');

/** `name` is the user's identity as an element. */
type ActionOf = (user: OperatorUserDetail, name: ComponentChildren) => Action;

const planStartOf = ({ state, resetsAt }: OperatorUserDetail) =>
  state === 'expired' ? 'the next renewal' : onDateAt(resetsAt);

const exportOf: ActionOf = ({ key }, name) => ({
  label: 'Export…',
  texts: ['Export the data of the user?', 'Export', 'Exporting…'],
  effect: () => (
    <>
      Saves a JSON file on this device with everything that the service stores about {name}, except secrets and hashes.
    </>
  ),
  act: async () => void saveFile(`user-${key}.json`, await api.exported(key)),
  done: () => (
    <>
      The export of {name} is saved as user-{key}.json.
    </>
  ),
});

const suspensionOf: ActionOf = ({ key }, name) => ({
  label: 'Suspend…',
  texts: ['Suspend the user?', 'Suspend', 'Suspending…'],
  isDangerous: true,
  fields: [reason('Reason (the user sees it)', 'Unusual traffic. Contact us.')],
  effect: () => <>All calls of {name} are rejected within 5 seconds and show this reason, until you resume the user.</>,
  act: (values) => api.suspend(key, values('reason')),
  done: () => <>{name} is suspended.</>,
});

const resumptionOf: ActionOf = ({ key }, name) => ({
  label: 'Resume…',
  texts: ['Resume the user?', 'Resume', 'Resuming…'],
  fields: [reason('Reason', 'The user has fixed the script.')],
  effect: () => <>The keys of {name} work again within 5 seconds. The user can read the reason in an export.</>,
  act: (values) => api.resume(key, values('reason')),
  done: () => <>{name} is resumed.</>,
});

const planChangeOf: ActionOf = (user, name) => ({
  label: 'Change plan…',
  texts: ['Change the plan?', 'Change plan', 'Changing…'],
  fields: [
    {
      name: 'plan',
      label: 'Plan',
      kind: 'choice',
      options: valuesOf('plans').map((plan) => [plan, plan]),
      value: valuesOf('plans').find((plan) => plan !== user.plan) ?? user.plan,
    },
    {
      name: 'from',
      label: 'From',
      kind: 'choice',
      options: [
        ['next', 'the next period'],
        ['now', 'now'],
      ],
    },
    {
      name: 'limit',
      label: 'Calls per period (empty: the limit of the plan)',
      kind: 'number',
      least: 0,
      isOptional: true,
    },
  ],
  effect: (values) => {
    const limit = values('limit') === '' ? 'the limit of the plan' : wholeOr(values('limit'));
    const instead = values('plan') === user.plan ? '' : ` instead of the ${user.plan} plan`;
    if (values('from') === 'now')
      return (
        <>
          {name} gets the {values('plan')} plan{instead} now: a new period and a new term start immediately, with{' '}
          {limit}, and calls that are left in the current period are lost.
        </>
      );
    const planned = user.nextPlan
      ? `this replaces the change to the ${user.nextPlan.plan} plan at that time`
      : 'nothing changes until then';
    return (
      <>
        {name} gets the {values('plan')} plan{instead} with {limit} from {planStartOf(user)}; {planned}.
      </>
    );
  },
  act(values) {
    const limit = values('limit');
    return api.plan(user.key, {
      plan: values('plan'),
      from: values('from'),
      ...(limit !== '' && { limit: Number(limit) }),
    });
  },
  done: (values) =>
    values('from') === 'now' ? (
      <>
        {name} has the {values('plan')} plan.
      </>
    ) : (
      <>
        {name} gets the {values('plan')} plan from {planStartOf(user)}.
      </>
    ),
});

const limitOf: ActionOf = (user, name) => ({
  label: 'Set limit…',
  texts: ['Set the limit?', 'Set limit', 'Saving…'],
  fields: [{ name: 'limit', label: 'Calls per period', kind: 'number', least: 0, value: user.limit }],
  effect: (values) => (
    <>
      {name} can make {wholeOr(values('limit'))} in the current period and in each later period, plus credits.
    </>
  ),
  act: (values) => api.limit(user.key, Number(values('limit'))),
  done: (values) => (
    <>
      The limit of {name} is {wholeOr(values('limit'))} per period.
    </>
  ),
});

const creditsOf: ActionOf = ({ key, resetsAt }, name) => ({
  label: 'Grant calls…',
  texts: ['Grant additional calls?', 'Grant', 'Granting…'],
  fields: [
    { name: 'calls', label: 'Calls', kind: 'number', least: 1 },
    reason('Reason', 'Compensation for the outage'),
  ],
  effect: (values) => (
    <>
      {name} can make {additional(values('calls'))} until {onDateAt(resetsAt)}; unused calls then expire. The user can
      read the reason in an export.
    </>
  ),
  act: (values) => api.credits(key, Number(values('calls')), values('reason')),
  done: (values) => (
    <>
      {name} can make {additional(values('calls'))} in this period.
    </>
  ),
});

const renewalOf: ActionOf = (user, name) => ({
  label: 'Renew…',
  texts: ['Renew the plan?', 'Renew', 'Renewing…'],
  effect: () =>
    user.state === 'expired' ? (
      <>Starts a new term for {name} now.</>
    ) : (
      <>
        Adds one period to the plan of {name}, which is valid until {onDateAt(user.validUntil)}.
      </>
    ),
  act: () => api.renew(user.key),
  done: () => <>The plan of {name} is renewed.</>,
});

const erasureOf: ActionOf = ({ key }, name) => ({
  label: 'Erase…',
  texts: ['Erase the user?', 'Erase permanently', 'Erasing…'],
  isDangerous: true,
  effect: () => (
    <>
      All keys of {name} stop working, and the name, the email address, the settings and the credits are deleted; this
      cannot be undone.
    </>
  ),
  act: () => api.erase(key),
  done: () => `User ${key} is erased.`,
});

type Group = { title: string; actions: readonly Action[]; isDanger?: boolean };

/** The changes of a user by subject. The last group cannot be undone. */
export function actionsOf(user: OperatorUserDetail): Group[] {
  const all = (...makers: readonly ActionOf[]) => makers.map((make) => make(user, <Identity of={user} />));
  const data = { title: 'Data', actions: all(exportOf) };
  if (user.state === 'erased') return [data];
  return [
    { title: 'Plan and calls', actions: all(planChangeOf, limitOf, creditsOf, renewalOf) },
    { title: 'Access', actions: all(user.suspension ? resumptionOf : suspensionOf, replacementOf) },
    data,
    { title: 'Danger', actions: all(erasureOf), isDanger: true },
  ];
}
