import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readOptions, toOptions } from '#database/connection/parameters';
import { parseServerUrl } from '#database/connection/server-url';

const urlsOf = (text: string) => parseServerUrl(text).hosts.map(({ url }) => url);

describe('the URL of a PostgreSQL server', () => {
  it.each([
    'postgresql://localhost/quotient',
    'postgres://ada:a%2Cb%40c@db.example.org:6432/quotient?sslmode=verify-full',
    'postgresql:///quotient',
    'postgresql://%2Fvar%2Frun%2Fpostgresql/quotient',
    'postgresql://ada@[::1]:5433/quotient',
  ])('with one host is unchanged: %s', (url) => {
    expect(urlsOf(url)).toEqual([url]);
    expect(parseServerUrl(url).session).toBe('any');
  });

  it('may have several hosts, in order, each with its port or 5432', () => {
    const { hosts, session } = parseServerUrl(
      'postgresql://ada:secret@db1:5433,db2,[fe80::1]:5434,%2Ftmp/quotient?target_session_attrs=read-write&sslmode=disable',
    );
    expect(session).toBe('read-write');
    expect(hosts).toEqual(
      ['db1:5433', 'db2:5432', '[fe80::1]:5434', '%2Ftmp:5432'].map((place) => ({
        name: decodeURIComponent(place),
        url: `postgresql://ada:secret@${place}/quotient?sslmode=disable`,
      })),
    );
  });

  it('may have hosts in its parameters, which replace those of the authority', () => {
    expect(urlsOf('postgresql:///q?host=db1,::1,/tmp&port=6432')).toEqual([
      'postgresql://db1:6432/q',
      'postgresql://[::1]:6432/q',
      'postgresql://%2Ftmp:6432/q',
    ]);
    expect(urlsOf('postgresql://other:1/q?host=db1,db2&port=6432,')).toEqual([
      'postgresql://db1:6432/q',
      'postgresql://db2:5432/q',
    ]);
    expect(urlsOf('postgresql://db1:1,db2:2/q?port=3')).toEqual(['postgresql://db1:3/q', 'postgresql://db2:3/q']);
    expect(urlsOf('postgresql:///q?host=/tmp')).toEqual(['postgresql://%2Ftmp/q']);
  });

  it('may require channel binding, and uses the last value of a repeated parameter', () => {
    const read = (query: string) => parseServerUrl(`postgresql://db/q?${query}`);
    expect(read('')).toMatchObject({ channelBinding: 'disable' });
    expect(read('channel_binding=disable&channel_binding=require&sslmode=disable&sslmode=no-verify')).toMatchObject({
      channelBinding: 'require',
      hosts: [{ url: 'postgresql://db/q?sslmode=no-verify' }],
    });
  });

  it('has a decoded database name, a schema and session parameters', () => {
    expect(parseServerUrl('postgresql://db/a%23b%2Fc%20%C3%A9?schema=Qu%20otient')).toMatchObject({
      database: 'a#b/c é',
      schema: 'Qu otient',
      options: {},
    });
    const options = '-c work_mem=7MB -cgeqo=off --log-statement=none  -c a.b=one\\ \\\\two';
    const { options: read, hosts } = parseServerUrl(`postgresql://db/q?options=${encodeURIComponent(options)}`);
    expect(read).toEqual({ work_mem: '7MB', geqo: 'off', log_statement: 'none', 'a.b': 'one \\two' });
    expect(hosts).toEqual([{ name: 'db', url: 'postgresql://db/q' }]);
    expect(readOptions(toOptions(read))).toEqual(read);
    expect(parseServerUrl('postgresql://db/q?options=')).toMatchObject({ options: {} });
  });

  it('has session parameters that survive the encoding of the startup packet', () => {
    const name = fc.stringMatching(/^x_[a-z]{1,9}(\.[a-z]{1,9})?$/);
    const value = fc.string({ unit: fc.constantFrom(...' \\\t\n=\'"-cé%') });
    fc.assert(
      fc.property(fc.dictionary(name, value), (parameters) => {
        expect(readOptions(toOptions(parameters))).toEqual({ ...parameters });
      }),
    );
  });

  it.each([
    ['postgresql://db1,,db2/q', 'each host'],
    ['postgresql://db1,/q', 'each host'],
    ['postgresql://db1:5432,db2:port/q', 'must have the form'],
    ['postgresql://db1:5432,db2:70000/q', 'must have the form'],
    ['postgresql://db1:0,db2/q', 'must have the form'],
    ['postgresql://[::1,db2/q', 'must have the form'],
    ['postgresql://::1,db2/q', 'must have the form'],
    ['postgresql://a%zz,b/q', 'must have the form'],
    ['postgresql:///q?host=a,b,c&port=1,2', 'one port for each host'],
    ['postgresql:///q?host=a,b&port=x', 'must have the form'],
    ['postgresql://a,b/q?hostaddr=10.0.0.1', 'hostaddr'],
    ['postgresql://a/q?connect_timeout=3&schema=q', 'connect_timeout: the supported parameters are host,'],
    ['postgresql://a/q?application_name=x', 'application_name'],
    ['postgresql://a/q?pgbouncer=true', 'pgbouncer'],
    ['postgresql://a/q?options=-c%20TIMEZONE%3DAsia/Kolkata', 'TIMEZONE'],
    ['postgresql://a/q?options=-c%20search_path%3Dx', 'search_path'],
    ['postgresql://a/q?options=-c', 'only -c name=value'],
    ['postgresql://a/q?options=endpoint%3Dx', 'only -c name=value'],
    ['postgresql://a/q?schema=pg_catalog', 'schema'],
    ['postgresql://a/q?schema=a%22b', 'schema'],
    [`postgresql://a/q?schema=${'x'.repeat(64)}`, 'schema'],
    ['postgresql://a/q%zz', 'must have the form'],
    ['postgresql://a,b/q?load_balance_hosts=random', 'load_balance_hosts'],
    ['postgresql://a/q?target_session_attrs=standby', 'target_session_attrs to any, read-write or primary'],
    ['postgresql://a/q?target_session_attrs=Primary', 'target_session_attrs to any, read-write or primary'],
    ['postgresql://a/q?ssl=yes', 'ssl to true, false'],
    ['postgresql://a/q?sslmode=allow', 'sslmode to disable'],
    ['postgresql://a/q?sslmode=REQUIRE', 'sslmode to disable'],
    ['postgresql://a/q?sslnegotiation=none', 'sslnegotiation to postgres or direct'],
    ['postgresql://a/q?uselibpqcompat=1', 'uselibpqcompat to true or false'],
    ['postgresql://a/q?channel_binding=yes', 'channel_binding to disable, prefer or require'],
    ['postgresql://a,b,c,d,e,f,g,h,i/q', '8 hosts'],
    ['mysql://a/q', 'must have the form'],
  ])('is rejected with an error that does not contain it: %s', (url, word) => {
    expect(() => parseServerUrl(url)).toThrow(RangeError);
    expect(() => parseServerUrl(url)).toThrow(word);
  });
});
