import { useSignal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { QuotientError } from '../../client/index.ts';
import { Bars } from '../components/bars.tsx';
import { ButtonGroup } from '../components/button-group.tsx';
import { Check, Choices } from '../components/choices.tsx';
import { Code, CodeBlock } from '../components/code.tsx';
import { Info, Switch } from '../components/controls.tsx';
import { openQuestions, QuestionDialog } from '../components/dialog.tsx';
import { Figures, Isolated, Meter, Panel, Tag, Time } from '../components/figures.tsx';
import { Field, Form } from '../components/form.tsx';
import { Head } from '../components/head.tsx';
import { openResource } from '../components/resource.ts';
import { Bar, ThemeChoice } from '../components/shell.tsx';
import { Sparkline } from '../components/sparkline.tsx';
import { Empty, Loaded } from '../components/states.tsx';
import { Table } from '../components/table.tsx';
import { openToasts, Toast } from '../components/toast.tsx';
import { change, count, fromNow, number, span } from '../format.ts';

/* Each component in its states. Only development and the tests show this page. */

const AT = new Date('2026-11-28T10:42:05.000Z');
const toasts = openToasts();
const questions = openQuestions();

/** Resolves with the number that the form asks for. A second read fails, and a read of 0 never ends. */
const data = openResource(async (input: number) => {
  if (input === 0) await new Promise(() => undefined);
  if (input < 0) throw new QuotientError('timeout', 'no response');
  return { read: input };
});

const TOKENS = [
  { name: 'bitcoin', price: 67_123.5, note: 'The first token' },
  { name: 'a-token-with-a-long-name', price: 0.12, note: 'x'.repeat(60) },
];

const REQUESTS = Array.from({ length: 5 }, (_, place) => ({
  time: `10:4${place}`,
  path: `/v1/prices/latest/tokens?tokenNames=${'bitcoin,'.repeat(30 * place)}`,
  status: 200 + place * 100,
  cost: place,
}));

function Choice() {
  const selected = useSignal<'week' | 'month'>('week');
  const options = [
    ['week', '7 days'],
    ['month', '30 days'],
  ] as const;
  return (
    <ButtonGroup
      label="Time range"
      options={options}
      selected={selected.value}
      onSelect={(range) => (selected.value = range)}
    />
  );
}

const askForCalls = () =>
  questions.ask({
    texts: ['Grant calls?', 'Grant', 'Granting…'],
    isDangerous: true,
    fields: [
      { name: 'calls', label: 'Calls', kind: 'number', least: 1 },
      { name: 'reason', label: 'Reason', kind: 'text', most: 20, placeholder: 'Example: outage' },
      {
        name: 'end',
        label: 'Until',
        kind: 'choice',
        options: [
          ['day', 'a day'],
          ['week', 'a week'],
        ],
        value: 'week',
      },
    ],
    effect: (values) => `Grants ${values('calls') || '…'} calls for a ${values('end')}.`,
    async act(values, show) {
      if (values('reason') === 'fail') throw new QuotientError('rejected', 'The service rejected the change.');
      if (values('reason') === 'key')
        show({ title: 'New key', body: <CodeBlock text="qt_shown_once" />, done: 'I have saved it' });
      toasts.report(`Granted ${values('calls')} calls.`);
    },
  });

function NameForm() {
  const [sent, setSent] = useState('');
  return (
    <Form
      class="shown-once"
      button={['Send', 'Sending…']}
      onSubmit={(fields) => {
        const name = fields('name');
        const errors = [{ location: 'body.name', message: 'is in use', fix: 'another name' }];
        if (name === 'taken') throw new QuotientError('invalid_request', 'Invalid', { errors });
        if (name === 'down') throw new QuotientError('network', 'no response');
        setSent(name);
      }}
    >
      <Field
        name="name"
        label="Name"
        required
        missing="Enter a name."
        wrong="Enter a free name of 2 to 9 characters."
        minLength={2}
      />
      <Field name="date" label="Date" type="date" wrong="Enter a complete date." />
      <p>Sent: {sent}</p>
    </Form>
  );
}

const PURPOSES = { program: 'Program', wallet: 'Wallet' };
const SCOPES = [
  ['prices', 'Read prices'],
  ['node', 'Use the node'],
] as const;

/** The purpose sets the scopes and the limit. */
const askForTerms = () =>
  questions.ask({
    texts: ['New key', 'Create', 'Creating…'],
    fields(values) {
      const isWallet = values?.('purpose') === 'wallet';
      const reset = String(isWallet);
      return [
        { kind: 'radio', name: 'purpose', label: 'Purpose', options: Object.entries(PURPOSES), value: ['program'] },
        {
          kind: 'checkbox',
          name: 'scopes',
          label: 'Scopes',
          options: SCOPES,
          value: [isWallet ? 'node' : 'prices'],
          reset,
        },
        {
          kind: 'number',
          name: 'limit',
          label: 'Limit',
          least: 1,
          value: isWallet ? 500 : undefined,
          isOptional: true,
          reset,
        },
        ...(values?.('limit') === '1'
          ? [{ kind: 'date', name: 'day', label: 'Day', from: '2026-11-28' } as const]
          : []),
      ];
    },
    effect: (values) => `A ${values('purpose')} key for ${values.all('scopes').join(' and ')}.`,
    act: async (values) => toasts.report(`Created a key with the limit ${values('limit')}.`),
  });

const showCode = () => questions.show({ title: 'Code', body: <Code text="let key;" />, done: 'Close' });

const TermsForm = () => (
  <Form
    class="shown-once"
    button={['Save', 'Saving…']}
    resets
    onSubmit={(fields) =>
      `Saved: ${fields('plan')}, ${fields.all('scopes').join(' and ')}, ${fields('note')}, ${fields('stay') || 'off'}.`
    }
  >
    <Choices
      name="plan"
      legend="Plan"
      kind="radio"
      options={[
        ['monthly', 'Monthly'],
        ['yearly', 'Yearly'],
      ]}
      selected={['monthly']}
    />
    <Choices
      name="scopes"
      legend="Scopes"
      kind="checkbox"
      options={SCOPES}
      selected={['prices']}
      missing="Choose at least one."
    />
    <Field name="note" label="Note" rows={2} maxLength={20} />
    <Check name="stay" label="Stay signed in" hint="Others can use this browser." />
  </Form>
);

const INTERVALS = [
  ['hourly', 'Hourly'],
  ['daily', 'Daily'],
  ['weekly', 'Weekly'],
] as const;

function IntervalGroup() {
  const [interval, setInterval] = useState<(typeof INTERVALS)[number][0]>('daily');
  const fault = (name: string) => (name === 'weekly' ? 'Only candles have this interval.' : '');
  return (
    <>
      <ButtonGroup label="Interval" options={INTERVALS} selected={interval} onSelect={setInterval} fault={fault} />
      <p>Interval: {interval}</p>
    </>
  );
}

function Controls() {
  const [isOn, setOn] = useState(false);
  return (
    <>
      <p class="row">
        <Switch isOn={isOn} onChange={setOn}>
          Live
        </Switch>
      </p>
      <Info label="A refresh costs 1 call.">
        <p class="soft">Unchanged data is free.</p>
      </Info>
      <p>Live: {isOn ? 'on' : 'off'}</p>
    </>
  );
}

export const Gallery = () => (
  <>
    <Bar
      home={['./', 'Quotient, components']}
      views={[{ name: 'components', title: 'Components', href: '#/', icon: 'M2 2h12v12H2z' }]}
      current="components"
    >
      <ThemeChoice />
    </Bar>
    <main tabIndex={-1}>
      <Head title="Components" hint="Each component in its states." />
      <Panel title="Table">
        <Table
          label="Prices"
          items={TOKENS}
          keyOf={({ name }) => name}
          columns={[
            { title: 'Token', cell: ({ name }) => name },
            { title: 'Price', kind: 'num', cell: ({ price }) => number(price) },
            { title: 'Note', kind: 'text', cell: ({ note }) => <Isolated>{note}</Isolated> },
          ]}
        />
        <Table
          label="Calls"
          kind="narrow"
          items={REQUESTS}
          keyOf={({ time }) => time}
          columns={[
            { title: 'Request', cell: ({ path }) => path },
            { title: 'Cost', kind: 'num', cell: ({ cost }) => count(cost) },
          ]}
        />
        <Table label="No prices" items={[]} keyOf={() => ''} columns={[]} empty="No tokens." />
      </Panel>
      <Panel title="Rows with details">
        <Table
          label="Requests"
          step={2}
          items={REQUESTS}
          keyOf={({ time }) => time}
          columns={[
            { title: 'Time', cell: ({ time }) => time },
            { title: 'Status', cell: ({ status }) => <Tag state={String(status)} level="warn" /> },
            { title: 'Request', kind: 'line', cell: ({ path }) => <code>{path}</code> },
            { title: 'Cost', kind: 'num', isExtra: true, cell: ({ cost }) => count(cost) },
          ]}
          details={({ path, cost }) => `${path} costs ${cost}.`}
        />
      </Panel>
      <Panel title="Choice">
        <Choice />
      </Panel>
      <Panel title="Form">
        <NameForm />
      </Panel>
      <Panel title="Choices">
        <TermsForm />
      </Panel>
      <Panel title="Button group">
        <IntervalGroup />
      </Panel>
      <Panel title="Controls">
        <Controls />
      </Panel>
      <Panel title="Dialog and toast">
        <div class="row">
          <button type="button" onClick={askForCalls}>
            Ask…
          </button>
          <button type="button" onClick={askForTerms}>
            New key…
          </button>
          <button type="button" onClick={showCode}>
            Show code
          </button>
          <button type="button" onClick={() => toasts.report('The change failed.', 'bad')}>
            Report a failure
          </button>
        </div>
      </Panel>
      <Panel title="Data">
        <div class="row">
          {(
            [
              ['Read', 7],
              ['Read slowly', 0],
              ['Fail', -1],
            ] as const
          ).map(([label, input]) => (
            <button key={label} type="button" class="small" onClick={() => void data.load(input)}>
              {label}
            </button>
          ))}
          <button type="button" class="small" onClick={data.clear}>
            Clear
          </button>
        </div>
        <Loaded of={data}>{({ read }) => <p>Read: {read}</p>}</Loaded>
        <Empty>Nothing here yet.</Empty>
      </Panel>
      <Panel title="Chart">
        <Bars
          summary="6 calls."
          bars={[
            { name: 'Monday', value: 0 },
            { name: 'Tuesday', value: 4 },
            { name: 'Wednesday', value: 2 },
          ]}
        />
        <Sparkline label="From 3 to 5" values={[3, null, 2, 4, 5]} />
        <Sparkline label="No values" values={[null, 5]} />
      </Panel>
      <Panel title="Code">
        <CodeBlock text="npx quotient tokens list" />
      </Panel>
      <Panel title="Dates and numbers">
        <Figures
          of={[
            ['Date', <Time key="date" at={AT} to="date" />],
            ['Minute', <Time key="minute" at={AT} />],
            ['Second', <Time key="second" at={AT} to="second" />],
            ['Never', <Time key="never" at={null} />],
            ['Relative', fromNow(new Date(AT.getTime() + 7_200_000), AT.getTime())],
            ['Duration', span(300_000)],
            ['Count', count(1_234_567)],
            ['Large', number(1_234_567_890)],
            ['Change', change(-0.0213)],
          ]}
        />
      </Panel>
      <Panel title="States">
        <p class="row">
          {['active', 'suspended', 'paused', 'unused'].map((state) => (
            <Tag key={state} state={state} />
          ))}
        </p>
        {[10, 85, 100].map((used) => (
          <p key={used}>
            <Meter label={`${used} of 100`} value={used} max={100} />
          </p>
        ))}
      </Panel>
    </main>
    <Toast toasts={toasts} />
    <QuestionDialog questions={questions} />
  </>
);
