import { useSignal } from '@preact/signals';
import { useEffect, useId } from 'preact/hooks';
import type { MarketSample, QuotientClient } from '../../client/index.ts';
import { serviceNow } from '../../pages/clock.ts';
import { Code, CopyButton } from '../../pages/components/code.tsx';
import { Sparkline } from '../../pages/components/sparkline.tsx';
import { at, change, onDate, span } from '../../pages/format.ts';
import { answerText } from '../api/answer-text.ts';
import { money } from '../core/currency.ts';

const PATH = '/v1/sample';
const UPDATE_MS = 10_000;
/** On a small screen, the response is collapsed. */
const IS_WIDE = matchMedia('(min-width: 48rem)').matches;

function inWords({ title, history: { prices } }: MarketSample): string {
  const [first, last] = [prices[0], prices.at(-1)];
  if (!first || !last) return '';
  return `${title}, last 30 days: from ${money(first.price, 'usd')} on ${onDate(first.date)} to ${money(last.price, 'usd')} on ${onDate(last.date)}`;
}

/** Real prices and the call that returns them. Removed if the call fails. Reserves its space before it is loaded. */
export function Sample({ client }: { client: QuotientClient }) {
  const sample = useSignal<MarketSample | undefined>(undefined);
  const hasFailed = useSignal(false);
  const now = useSignal(serviceNow());
  const id = useId();

  async function load(): Promise<void> {
    const loaded = await client.sample().catch(() => undefined);
    now.value = serviceNow();
    if (loaded?.latest.at && loaded.latest.current_price !== null) sample.value = loaded;
    else hasFailed.value = true;
  }
  useEffect(() => {
    void load();
    const timer = setInterval(() => {
      now.value = serviceNow();
    }, UPDATE_MS);
    return () => clearInterval(timer);
  }, []);

  if (hasFailed.value) return null;
  const { value } = sample;
  const { current_price: price = null, change_24h: percent = null, at: since = null } = value?.latest ?? {};
  const age = since && `As of ${at(since, now.value)}, ${span(now.value - since.getTime())} ago.`;
  const call = `curl ${new URL(`.${PATH}`, document.baseURI)}`;
  return (
    <section class={value ? 'sample loaded' : 'sample'} aria-labelledby={id}>
      <div class="head">
        <h2 id={id}>{value?.title}</h2>
        <span class="tag">Sample</span>
      </div>
      <p class="sample-figures">
        <span class="sample-price">{price !== null && money(price, 'usd')}</span>
        {percent !== null && <span class={percent < 0 ? 'down' : 'up'}>{change(percent / 100)} in 24 hours</span>}
      </p>
      <Sparkline
        values={value?.history.prices.map((point) => point.price) ?? []}
        label={value ? inWords(value) : 'Last 30 days'}
      />
      <p class="soft">{age} The line shows the last 30 days.</p>
      <div class="head">
        <h3>This call needs no API key</h3>
        <CopyButton text={call} />
      </div>
      <Code text={call} />
      <details open={IS_WIDE}>
        <summary>Response</summary>
        <Code text={value ? answerText(PATH, value) : ''} />
      </details>
    </section>
  );
}
