import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { type ChainEnd, chainStart, extendChain } from '../../../src/event-sourcing/hash-chain.js';
import type { StreamName } from '../../../src/event-sourcing/recorded-event.js';
import { type Call, idOf, type Reply } from '../../support/client.js';
import { errorIn } from '../../support/error-in.js';
import { FORM_TYPE, formOf } from '../../support/multipart-form.js';
import type { StackOfSuite } from '../../support/stack-of-suite.js';

type Shown = Readonly<Record<string, unknown>>;

type Proven = Record<'_id' | 'name', string> & {
  readonly stream: StreamName;
  readonly revision: number;
  readonly reason: string;
  readonly data: Shown;
  readonly metadata: Shown;
};

/** Every byte as RFC 8187 allows it. */
const encoded = (text: string): string => `UTF-8''${Buffer.from(text).toString('hex').replaceAll(/../g, '%$&')}`;

const form = (name: string, content: string): Pick<Call, 'body' | 'headers'> => ({
  body: formOf({ name: 'name', content: name }, { name: 'file', filename: 'a.txt', type: 'text/plain', content }),
  headers: { 'content-type': FORM_TYPE },
});

/** What is promised of the reason of a change. */
export const changeReasonContract = ({ call }: StackOfSuite): Mocha.Suite =>
  describe('Change-Reason over HTTP', () => {
    const change = async (
      reason: string | undefined,
      method: string,
      path: string,
      { headers, ...given }: Call = {},
    ): Promise<Reply> => {
      const why = reason === undefined ? {} : { 'change-reason': reason };
      return call(method, path, { ...given, headers: { ...headers, ...why } });
    };
    const created = async (reason?: string, headers = {}): Promise<string> =>
      idOf(await change(reason, 'POST', '/business', { body: { name: 'Acme' }, headers }));
    const eventsOf = async (path: string): Promise<ReadonlyArray<Shown>> =>
      (await call('GET', path)).json as ReadonlyArray<Shown>;
    const told = (events: ReadonlyArray<Shown>): ReadonlyArray<unknown> =>
      events.map(({ data, reason }) => ({ data, reason }));

    it('is told beside the data of the event of every command on a business', async () => {
      const id = await created('as told');
      const one = `/business/${id}`;
      const commands = [
        ['PUT', one, { phone: '1' }],
        ['POST', `${one}/owner`, { user: 'bob' }],
        ['PUT', `${one}/owner?ownerId=bob`, { title: 'CEO' }],
        ['PUT', `${one}/owner/bob`, { title: null }],
        ['POST', `${one}/owner`, { user: 'eve' }],
        ['DELETE', `${one}/owner?ownerId=bob`, undefined],
        ['DELETE', `${one}/owner/eve`, undefined],
        ['DELETE', one, undefined],
      ] as const;
      for (const [index, [method, path, body]] of commands.entries())
        expect((await change(`step ${index}`, method, path, body === undefined ? {} : { body })).status).to.equal(200);
      expect(told(await eventsOf(`${one}/events`))).to.deep.equal([
        { data: { name: 'Acme' }, reason: 'as told' },
        { data: { changes: { phone: '1' } }, reason: 'step 0' },
        { data: { user: 'bob', title: null, equity: null }, reason: 'step 1' },
        { data: { user: 'bob', title: 'CEO' }, reason: 'step 2' },
        { data: { user: 'bob', title: null }, reason: 'step 3' },
        { data: { user: 'eve', title: null, equity: null }, reason: 'step 4' },
        { data: { user: 'bob' }, reason: 'step 5' },
        { data: { user: 'eve' }, reason: 'step 6' },
        { data: {}, reason: 'step 7' },
      ]);
    });

    it('is told beside the data of the event of every command on a document, by JSON and by a form', async () => {
      const byJson = await change('a', 'POST', '/document', { body: { name: 'Lease' } });
      const byForm = await change(encoded('ä'), 'POST', '/document', form('Lease', 'one'));
      expect([byJson.status, byForm.status]).to.deep.equal([200, 200]);
      for (const [id, reason] of [
        [idOf(byJson), 'a'],
        [idOf(byForm), 'ä'],
      ] as const) {
        await change('b', 'PUT', `/document/${id}`, { body: { description: 'x' } });
        await change('c', 'PUT', `/document/${id}`, form('Lease 2', 'two'));
        const events = await eventsOf(`/document/${id}/events`);
        expect(events.map((event) => event['reason'])).to.deep.equal([reason, 'b', 'c']);
        expect(events.map(({ data }) => Object.keys(data as Shown).includes('$reason'))).to.deep.equal([
          false,
          false,
          false,
        ]);
      }
    });

    it('is not told of an event without one, and is no part of the record', async () => {
      const id = await created();
      expect((await eventsOf(`/business/${id}/events`))[0]).not.to.have.property('reason');
      await change('because', 'PUT', `/business/${id}`, { body: { phone: '1' } });
      for (const path of [`/business/${id}`, `/business/${id}?revision=1`])
        expect((await call('GET', path)).text).not.to.match(/reason|because/);
    });

    it('is sealed with the data, under its salt', async () => {
      const id = await created(encoded('wegen "Umzug"'));
      await change('twice', 'PUT', `/business/${id}`, { body: { phone: '1' } });
      // reason: what the API promises with proof; its hashes are checked below
      const proven = (await eventsOf(`/business/${id}/events?proof=true`)) as unknown as ReadonlyArray<Proven>;
      expect(told(proven)).to.deep.equal([
        { data: { $reason: 'wegen "Umzug"', name: 'Acme' }, reason: 'wegen "Umzug"' },
        { data: { $reason: 'twice', changes: { phone: '1' } }, reason: 'twice' },
      ]);
      const verified = (withData: (data: Shown) => Shown): E.Either<unknown, ChainEnd> => {
        let end: E.Either<unknown, ChainEnd> = E.right(chainStart);
        for (const { _id, name, stream, revision, data, metadata } of proven) {
          const event = { id: _id, type: name, stream, revision: BigInt(revision), position: 0n };
          const texts = { data: JSON.stringify(withData(data)), metadata: JSON.stringify(metadata) };
          if (E.isRight(end)) end = extendChain(end.right, { ...event, ...texts });
        }
        return end;
      };
      expect(E.isRight(verified((data) => data))).to.equal(true);
      expect(E.isRight(verified(({ $reason: _reason, ...data }) => data))).to.equal(false);
      expect(E.isRight(verified((data) => ({ ...data, $reason: 'another' })))).to.equal(false);
    });

    it('of a command that changes nothing is stored nowhere', async () => {
      const id = await created();
      const reply = await change('in vain', 'PUT', `/business/${id}`, { body: { name: 'Acme' } });
      expect([reply.status, reply.headers.get('etag')]).to.deep.equal([200, '"0"']);
    });

    it('is a part of what an Idempotency-Key stands for', async () => {
      const headers = { 'idempotency-key': 'with-a-reason' };
      const body = { name: 'Acme' };
      const send = (reason?: string) => change(reason, 'POST', '/business', { body, headers });
      const first = await send('one');
      expect((await send('one')).text).to.equal(first.text);
      // the same text, as it may also be spelled
      expect((await send(encoded('one'))).text).to.equal(first.text);
      expect((await send('two')).status).to.equal(422);
      expect((await send()).status).to.equal(422);
    });

    it('is all that tells two deletions or two restores under one key apart, of which the second is refused', async () => {
      const document = `/document/${idOf(await call('POST', '/document', { body: { name: 'Lease' } }))}`;
      const business = `/business/${await created()}`;
      await call('POST', `${business}/owner`, { body: { user: 'bob' } });
      await call('POST', `${business}/owner`, { body: { user: 'eve' } });
      const commands = [
        ['DELETE', `${business}/owner?ownerId=bob`],
        ['DELETE', `${business}/owner/eve`],
        ...[business, document].flatMap((path) => [['DELETE', path] as const, ['POST', `${path}/restore`] as const]),
      ] as const;
      for (const [index, [method, path]] of commands.entries()) {
        const headers = { 'idempotency-key': `for-its-reason-${index}` };
        const send = (reason: string) => change(reason, method, path, { headers });
        expect([method, path, (await send('one')).status]).to.deep.equal([method, path, 200]);
        const other = await send('two');
        const { code } = errorIn(other.json);
        expect([method, path, other.status, code]).to.deep.equal([method, path, 422, 'idempotency_key_reused']);
      }
    });

    const taken: ReadonlyArray<readonly [header: string, reason: string]> = [
      ['moved', 'moved'],
      ['  moved to  Bonn, "at last"; 100 % ', 'moved to  Bonn, "at last"; 100 %'],
      ['x'.repeat(255), 'x'.repeat(255)],
      ["as UTF-8''x", "as UTF-8''x"],
      ["UTF-8''moved", 'moved'],
      ["utf-8''Caf%c3%A9%20%22%27", 'Café "\''],
      ["UTF-8''!#$&+-.^_`|~", '!#$&+-.^_`|~'],
      [encoded('漢字 😀 \ufeff\u2028'), '漢字 😀 \ufeff\u2028'],
      [encoded(' kept '), ' kept '],
      [encoded('😀'.repeat(255)), '😀'.repeat(255)],
    ];
    for (const [header, reason] of taken)
      it(`takes ${header.slice(0, 40)} of ${header.length} characters`, async () => {
        const id = await created(header);
        expect((await eventsOf(`/business/${id}/events`))[0]).to.include({ reason });
      });
  });
