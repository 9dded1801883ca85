import { saveFile } from '../../pages/download.ts';
import { inCalls, onDateAt } from '../../pages/format.ts';
import type { Api } from '../api/api.ts';
import { phrase } from '../core/phrase.ts';
import type { OperatorUserDetail } from '../generated/records.ts';
import { type Action, replacementOf } from './key-actions.ts';
import { identityOf } from './words.ts';

const MOST_REASON = 500;
/** Every reason is part of the export that the user can request. */
const reason = (label: string, example: string) =>
  ({ name: 'reason', label, kind: 'text', most: MOST_REASON, placeholder: `Example: ${example}` }) as const;

const PLANS = ['monthly', 'yearly'] as const;

const wholeOr = (text: string) => (/^\d+$/.test(text) ? inCalls(Number(text)) : '… calls');
const additional = (text: string) => wholeOr(text).replace(' ', ' additional ');

export function actionsOf(api: Api, user: OperatorUserDetail): Action[] {
  const { key, resetsAt } = user;
  const planStart = user.state === 'expired' ? 'the next renewal' : onDateAt(resetsAt);
  const name = () => identityOf(user);

  const exported: Action = {
    label: 'Export…',
    done: () => phrase`The export of ${name()} is saved as user-${String(key)}.json.`,
    question: {
      ...{ title: 'Export the data of the user?', yes: 'Export', busy: 'Exporting…' },
      effect: () =>
        phrase`Saves everything that is stored about ${name()} as a JSON file on this device, without secrets and hashes.`,
      act: async () => void saveFile(`user-${key}.json`, await api.exported(key)),
    },
  };
  if (user.state === 'erased') return [exported];

  const suspend: Action = {
    label: 'Suspend…',
    done: () => phrase`${name()} is suspended.`,
    question: {
      ...{ title: 'Suspend the user?', yes: 'Suspend', busy: 'Suspending…', isDangerous: true },
      fields: [reason('Reason, which the user sees', 'Unusual traffic. Contact us.')],
      effect: () =>
        phrase`All calls of ${name()} are rejected within 5 seconds and show this reason, until you resume the user.`,
      act: async (values) => void (await api.suspend(key, values('reason'))),
    },
  };
  const resume: Action = {
    label: 'Resume…',
    done: () => phrase`${name()} is resumed.`,
    question: {
      ...{ title: 'Resume the user?', yes: 'Resume', busy: 'Resuming…' },
      fields: [reason('Reason', 'The user has fixed the script.')],
      effect: () =>
        phrase`The keys of ${name()} work again within 5 seconds. The user can read the reason in an export.`,
      act: async (values) => void (await api.resume(key, values('reason'))),
    },
  };
  const plan: Action = {
    label: 'Change plan…',
    done: (values) =>
      values('from') === 'now'
        ? phrase`${name()} has the ${values('plan')} plan.`
        : phrase`${name()} gets the ${values('plan')} plan from ${planStart}.`,
    question: {
      ...{ title: 'Change the plan?', yes: 'Change plan', busy: 'Changing…' },
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
      async act(values) {
        const limit = values('limit');
        await api.plan(key, {
          plan: values('plan'),
          from: values('from'),
          ...(limit !== '' && { limit: Number(limit) }),
        });
        return undefined;
      },
    },
  };
  const limit: Action = {
    label: 'Set limit…',
    done: (values) => phrase`The limit of ${name()} is ${wholeOr(values('limit'))} per period.`,
    question: {
      ...{ title: 'Set the limit?', yes: 'Set limit', busy: 'Saving…' },
      fields: [{ name: 'limit', label: 'Calls per period', kind: 'number', least: 0, value: user.limit }],
      effect: (values) =>
        phrase`${name()} can make ${wholeOr(values('limit'))} in the current period and in each later period, plus credits.`,
      act: async (values) => void (await api.limit(key, Number(values('limit')))),
    },
  };
  const credits: Action = {
    label: 'Grant calls…',
    done: (values) => phrase`${name()} can make ${additional(values('calls'))} in this period.`,
    question: {
      ...{ title: 'Grant additional calls?', yes: 'Grant', busy: 'Granting…' },
      fields: [
        { name: 'calls', label: 'Calls', kind: 'number', least: 1 },
        reason('Reason', 'Compensation for the outage'),
      ],
      effect: (values) =>
        phrase`${name()} can make ${additional(values('calls'))} until ${onDateAt(resetsAt)}; unused calls then expire. The user can read the reason in an export.`,
      act: async (values) => void (await api.credits(key, Number(values('calls')), values('reason'))),
    },
  };
  const renew: Action = {
    label: 'Renew…',
    done: () => phrase`The plan of ${name()} is renewed.`,
    question: {
      ...{ title: 'Renew the plan?', yes: 'Renew', busy: 'Renewing…' },
      effect: () =>
        user.state === 'expired'
          ? phrase`Starts a new term for ${name()} now.`
          : phrase`Adds one period to the plan of ${name()}, which is valid until ${onDateAt(user.validUntil)}.`,
      act: async () => void (await api.renew(key)),
    },
  };
  const erase: Action = {
    label: 'Erase…',
    isDangerous: true,
    done: () => `User ${key} is erased.`,
    question: {
      ...{ title: 'Erase the user?', yes: 'Erase permanently', busy: 'Erasing…', isDangerous: true },
      effect: () =>
        phrase`All keys of ${name()} stop working, and the name, the email address, the settings and the credits are deleted; this cannot be undone.`,
      act: async () => void (await api.erase(key)),
    },
  };
  return [user.suspension ? resume : suspend, plan, limit, credits, renew, replacementOf(api, user), exported, erase];
}
