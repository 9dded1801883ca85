import { saveFile } from '../../pages/download.ts';
import { inCalls, onDateAt } from '../../pages/format.ts';
import { phrase } from '../../pages/phrase.ts';
import type { Api } from '../api/api.ts';
import type { OperatorUserDetail } from '../generated/records.ts';
import { type Action, replacementOf } from './key-actions.ts';
import { identityOf } from './words.ts';

const MAX_REASON = 500;
/** Every reason is part of the export that the user can request. */
const reason = (label: string, example: string) =>
  ({ name: 'reason', label, kind: 'text', most: MAX_REASON, placeholder: `Example: ${example}` }) as const;

const PLANS = ['monthly', 'yearly'] as const;

const wholeOr = (text: string) => (/^\d+$/.test(text) ? inCalls(Number(text)) : '… calls');
const additional = (text: string) => wholeOr(text).replace(' ', ' additional ');

export function actionsOf(api: Api, user: OperatorUserDetail): Action[] {
  const { key, resetsAt } = user;
  const planStart = user.state === 'expired' ? 'the next renewal' : onDateAt(resetsAt);
  const name = () => identityOf(user);

  const exported: Action = {
    label: 'Export…',
    texts: ['Export the data of the user?', 'Export', 'Exporting…'],
    effect: () =>
      phrase`Saves everything that is stored about ${name()} as a JSON file on this device, without secrets and hashes.`,
    act: async () => void saveFile(`user-${key}.json`, await api.exported(key)),
    done: () => phrase`The export of ${name()} is saved as user-${String(key)}.json.`,
  };
  if (user.state === 'erased') return [exported];

  const suspend: Action = {
    label: 'Suspend…',
    texts: ['Suspend the user?', 'Suspend', 'Suspending…'],
    isDangerous: true,
    fields: [reason('Reason, which the user sees', 'Unusual traffic. Contact us.')],
    effect: () =>
      phrase`All calls of ${name()} are rejected within 5 seconds and show this reason, until you resume the user.`,
    act: (values) => api.suspend(key, values('reason')),
    done: () => phrase`${name()} is suspended.`,
  };
  const resume: Action = {
    label: 'Resume…',
    texts: ['Resume the user?', 'Resume', 'Resuming…'],
    fields: [reason('Reason', 'The user has fixed the script.')],
    effect: () => phrase`The keys of ${name()} work again within 5 seconds. The user can read the reason in an export.`,
    act: (values) => api.resume(key, values('reason')),
    done: () => phrase`${name()} is resumed.`,
  };
  const plan: Action = {
    label: 'Change plan…',
    texts: ['Change the plan?', 'Change plan', 'Changing…'],
    fields: [
      {
        name: 'plan',
        label: 'Plan',
        kind: 'choice',
        options: PLANS.map((one) => [one, one]),
        value: PLANS.find((one) => one !== user.plan) ?? user.plan,
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
        return phrase`${name()} gets the ${values('plan')} plan${instead} now: a new period and a new term start immediately, with ${limit}, and calls that are left in the current period are lost.`;
      const planned = user.nextPlan
        ? `this replaces the change to the ${user.nextPlan.plan} plan at that time`
        : 'nothing changes until then';
      return phrase`${name()} gets the ${values('plan')} plan${instead} with ${limit} from ${planStart}; ${planned}.`;
    },
    act(values) {
      const limit = values('limit');
      return api.plan(key, {
        plan: values('plan'),
        from: values('from'),
        ...(limit !== '' && { limit: Number(limit) }),
      });
    },
    done: (values) =>
      values('from') === 'now'
        ? phrase`${name()} has the ${values('plan')} plan.`
        : phrase`${name()} gets the ${values('plan')} plan from ${planStart}.`,
  };
  const limit: Action = {
    label: 'Set limit…',
    texts: ['Set the limit?', 'Set limit', 'Saving…'],
    fields: [{ name: 'limit', label: 'Calls per period', kind: 'number', least: 0, value: user.limit }],
    effect: (values) =>
      phrase`${name()} can make ${wholeOr(values('limit'))} in the current period and in each later period, plus credits.`,
    act: (values) => api.limit(key, Number(values('limit'))),
    done: (values) => phrase`The limit of ${name()} is ${wholeOr(values('limit'))} per period.`,
  };
  const credits: Action = {
    label: 'Grant calls…',
    texts: ['Grant additional calls?', 'Grant', 'Granting…'],
    fields: [
      { name: 'calls', label: 'Calls', kind: 'number', least: 1 },
      reason('Reason', 'Compensation for the outage'),
    ],
    effect: (values) =>
      phrase`${name()} can make ${additional(values('calls'))} until ${onDateAt(resetsAt)}; unused calls then expire. The user can read the reason in an export.`,
    act: (values) => api.credits(key, Number(values('calls')), values('reason')),
    done: (values) => phrase`${name()} can make ${additional(values('calls'))} in this period.`,
  };
  const renew: Action = {
    label: 'Renew…',
    texts: ['Renew the plan?', 'Renew', 'Renewing…'],
    effect: () =>
      user.state === 'expired'
        ? phrase`Starts a new term for ${name()} now.`
        : phrase`Adds one period to the plan of ${name()}, which is valid until ${onDateAt(user.validUntil)}.`,
    act: () => api.renew(key),
    done: () => phrase`The plan of ${name()} is renewed.`,
  };
  const erase: Action = {
    label: 'Erase…',
    isFinal: true,
    texts: ['Erase the user?', 'Erase permanently', 'Erasing…'],
    isDangerous: true,
    effect: () =>
      phrase`All keys of ${name()} stop working, and the name, the email address, the settings and the credits are deleted; this cannot be undone.`,
    act: () => api.erase(key),
    done: () => `User ${key} is erased.`,
  };
  return [user.suspension ? resume : suspend, plan, limit, credits, renew, replacementOf(api, user), exported, erase];
}
