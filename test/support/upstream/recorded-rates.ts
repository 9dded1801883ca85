import { recording } from './recordings.ts';
import { startUpstreamServer } from './upstream-server.ts';

const HEAD = 'KEY,FREQ,CURRENCY,CURRENCY_DENOM,EXR_TYPE,EXR_SUFFIX,TIME_PERIOD,OBS_VALUE\n';

/** Units per euro by date and currency, as the ECB published them from 2013 to 2023, with ascending dates. */
export function readRecordedRates(): { date: string; rates: Record<string, number> }[] {
  const text = String(recording('ecb', 'eurofxref-hist_2013-01-02_2023-12-29.csv').body);
  const [head = '', ...lines] = text.trimEnd().split('\n');
  const names = head.split(',');
  return lines.reverse().map((line) => {
    const fields = line.split(',');
    const received = names.flatMap((name, i) => {
      const rate = Number(fields[i]);
      return i > 0 && name !== '' && !Number.isNaN(rate) ? [[name.toLowerCase(), rate] as const] : [];
    });
    return { date: fields[0] as string, rates: Object.fromEntries(received) };
  });
}

/** An upstream that serves these rates as the ECB's data service does. */
export function startRecordedRates() {
  const days = readRecordedRates();
  const codes = [...new Set(days.flatMap(({ rates }) => Object.keys(rates)))].sort();
  return startUpstreamServer(({ query }) => {
    const requested = days.filter(({ date }) => date >= (query.startPeriod ?? ''));
    const rows = codes.flatMap((code) => {
      const name = code.toUpperCase();
      return requested.flatMap(({ date, rates }) =>
        rates[code] === undefined ? [] : `EXR.D.${name}.EUR.SP00.A,D,${name},EUR,SP00,A,${date},${rates[code]}\n`,
      );
    });
    return { headers: { 'content-type': 'text/csv' }, body: rows.length > 0 ? HEAD + rows.join('') : '' };
  });
}
