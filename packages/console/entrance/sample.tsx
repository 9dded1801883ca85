import { useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import type { MarketSample, QuotientClient } from '../../client/index.ts';
import { serviceNow } from '../../pages/clock.ts';
import { Code, CopyButton } from '../../pages/components/code.tsx';
import { at, change, onDate, span } from '../../pages/format.ts';
import { answerText } from '../api/answer-text.ts';
import { money } from '../core/currency.ts';
import { SIZE, sparkline } from './sparkline.ts';

const PATH = '/v1/sample';
const UPDATE_MS = 10_000;

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
  const section = useRef<HTMLElement>(null);
  const id = useId();

  async function load(): Promise<void> {
    const loaded = await client.sample().catch(() => undefined);
    now.value = serviceNow();
    if (loaded?.latest.at && loaded.latest.current_price !== null) sample.value = loaded;
    else hasFailed.value = true;
  }
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => {
      if (!entry?.isIntersecting) return;
      observer.disconnect();
      void load();
    });
    if (section.current) observer.observe(section.current);
    const timer = setInterval(() => {
      now.value = serviceNow();
    }, UPDATE_MS);
    return () => {
      observer.disconnect();
      clearInterval(timer);
    };
  }, []);

  if (hasFailed.value) return null;
  const { value } = sample;
  const { current_price: price = null, change_24h: percent = null, at: since = null } = value?.latest ?? {};
  const age = since && `As of ${at(since, now.value)}, ${span(now.value - since.getTime())} ago.`;
  const call = `curl ${new URL(`.${PATH}`, document.baseURI)}`;
  return (
    <section ref={section} class={value ? 'sample loaded' : 'sample'} aria-labelledby={id}>
      <div class="head">
        <h2 id={id}>{value?.title}</h2>
        <span class="tag">Sample</span>
      </div>
      <p class="sample-figures">
        <span class="sample-price">{price !== null && money(price, 'usd')}</span>
        {percent !== null && <span class={percent < 0 ? 'down' : 'up'}>{change(percent / 100)} in 24 hours</span>}
      </p>
      <svg
        class="sparkline"
        viewBox={`0 0 ${SIZE.width} ${SIZE.height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={value ? inWords(value) : 'Last 30 days'}
      >
        <path d={value && sparkline(value.history.prices)} />
      </svg>
      <p class="soft">{age} The line shows the last 30 days.</p>
      <div class="head">
        <h3>This call needs no API key</h3>
        <CopyButton text={call} />
      </div>
      <Code text={call} />
      <h3>Response</h3>
      <Code text={value ? answerText(PATH, value) : ''} />
    </section>
  );
}
