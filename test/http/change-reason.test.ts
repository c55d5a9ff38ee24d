import { expect } from 'chai';
import { type Call, idOf, type Reply } from '../support/client.js';
import { FORM_TYPE, formOf } from '../support/multipart-form.js';
import { rawExchange } from '../support/raw-exchange.js';
import { stackOfSuite } from '../support/stack-of-suite.js';

type Shown = Readonly<Record<string, unknown>>;

const message =
  "must be 1 to 255 characters, none of them a control character, once: visible ASCII and spaces, or UTF-8'' and " +
  'percent-encoded as in RFC 8187';

/** Every byte as RFC 8187 allows it. */
const encoded = (text: string): string => `UTF-8''${Buffer.from(text).toString('hex').replaceAll(/../g, '%$&')}`;

describe('a Change-Reason that is none', () => {
  const { stack, call } = stackOfSuite();

  const form = formOf(
    { name: 'name', content: 'Lease' },
    { name: 'file', filename: 'a.txt', type: 'text/plain', content: 'x' },
  );

  const change = (reason: string, method: string, path: string, { headers, ...given }: Call = {}): Promise<Reply> =>
    call(method, path, { ...given, headers: { ...headers, 'change-reason': reason } });

  const refused: Readonly<Record<string, string>> = {
    'an empty one': '',
    'nothing but spaces': '   ',
    'more than 255 characters': 'x'.repeat(256),
    'a tab': 'a\tb',
    'a byte that is no ASCII': 'caf\u00e9',
    'nothing that is encoded': "UTF-8''",
    'nothing but encoded spaces': "UTF-8''%20%20",
    'more than 255 encoded characters': encoded('😀'.repeat(256)),
    'half an escape': "UTF-8''caf%c",
    'an escape of other digits': "UTF-8''caf%zz",
    'a character that must be encoded': "UTF-8''a b",
    'a quote that must be encoded': "UTF-8''a'b",
    'bytes that are no UTF-8': "UTF-8''caf%e9",
    'half a character': "UTF-8''%e2%82",
    'a character in too many bytes': "UTF-8''%c0%af",
    'half a surrogate pair': "UTF-8''%ed%a0%80",
    'an encoded control character': "UTF-8''a%0ab",
    'an encoded zero': "UTF-8''a%00",
    'an encoded DEL': "UTF-8''a%7f",
    'an encoded C1 control character': "UTF-8''a%c2%85",
    'a language': "UTF-8'en'moved",
    'an encoding that is not finished': "UTF-8'moved",
  };
  for (const [what, header] of Object.entries(refused))
    it(`refuses ${what}, and changes nothing`, async () => {
      const id = idOf(await call('POST', '/business', { body: { name: 'Acme' } }));
      for (const [method, path, given] of [
        ['PUT', `/business/${id}`, { body: { phone: '1' } }],
        ['DELETE', `/business/${id}/owner/bob`, {}],
        ['DELETE', `/business/${id}`, {}],
        ['POST', `/business/${id}/restore`, {}],
        ['POST', `/business/${id}/revert`, { body: { revision: 0 } }],
        ['DELETE', `/document/${id}`, {}],
        ['POST', `/document/${id}/restore`, {}],
        ['POST', `/document/${id}/revert`, { body: { revision: 0 } }],
        ['POST', '/document', { body: form, headers: { 'content-type': FORM_TYPE } }],
      ] as const) {
        const { status, json } = await change(header, method, path, given);
        expect([status, (json as Shown)['errors']]).to.deep.equal([400, [{ path: 'Change-Reason', message }]]);
      }
      expect((await call('GET', `/business/${id}`)).headers.get('etag')).to.equal('"0"');
    });

  it('is refused together with whatever else is wrong', async () => {
    const headers = { 'idempotency-key': '', 'if-match': 'x' };
    const { json } = await change('', 'POST', '/business', { body: { name: 1 }, headers });
    expect(((json as Shown)['errors'] as ReadonlyArray<Shown>).map(({ path }) => path)).to.deep.equal([
      'Idempotency-Key',
      'Change-Reason',
      'If-Match',
      'name',
    ]);
  });

  it('is refused when it is given twice', async () => {
    const head = [
      'DELETE /api/v1/business/x HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${stack().tokenFor('admin')}`,
      'Connection: close',
    ];
    const answer = await rawExchange(
      stack().baseUrl,
      [...head, 'Change-Reason: a', 'Change-Reason: b', '', ''].join('\r\n'),
    );
    expect(answer)
      .to.match(/^HTTP\/1\.1 400 /)
      .and.to.contain('"path":"Change-Reason"');
  });
});
