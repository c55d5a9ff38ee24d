import { expect } from 'chai';
import type { BusinessEvent } from '../../src/domain/business/events.js';
import type { DocumentEvent } from '../../src/domain/document/events.js';
import type { Json, JsonObject } from '../../src/event-sourcing/canonical-json.js';
import { GENESIS_HASH, type Metadata, newSalt, seal } from '../../src/event-sourcing/envelope.js';
import type { StreamName } from '../../src/event-sourcing/recorded-event.js';
import { aBusinessCreated } from '../support/business-events.js';
import { aDocumentCreated, aStoredFile } from '../support/document-events.js';
import { oneKey } from '../support/event-keys.js';
import { type MemoryStack, startMemoryStack } from '../support/memory-stack.js';
import { needs } from '../support/needs.js';
import { hasPython } from '../support/python.js';
import { stored } from '../support/recorded.js';
import { right } from '../support/sealed-tree.js';
import { refusal, runVerifyPy, startVerifyPy, type Verified, type VerifyPy } from '../support/verify-py.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

/** Two texts in an answer that may be changed into another one. */
const put =
  (from: string | RegExp, to: string) =>
  (answer: string): string => {
    const changed = answer.replace(from, to);
    expect(changed).not.to.equal(answer);
    return changed;
  };

const ID = '0198f000-0000-7000-8000-000000000001';
const lead = { entity: 'l1', entityType: 'Lead' } as const;
const offer = { entity: 'o1', entityType: 'Offer' } as const;
const uploaded = { by: 'alice', at: '2026-01-02T03:04:05.678Z' };

/** Histories in which something is deleted, restored and reverted, and the message of each event after the first. */
const UNDONE: ReadonlyArray<
  readonly [kind: 'business' | 'document', ...events: ReadonlyArray<readonly [BusinessEvent | DocumentEvent, string]>]
> = [
  [
    'business',
    [aBusinessCreated(), 'business created'],
    [{ type: 'BusinessDeleted', data: {} }, 'business deleted'],
    [{ type: 'BusinessRestored', data: {} }, 'business restored'],
    [
      { type: 'BusinessReverted', data: { to: 0, changes: { website: 'w', phone: null } } },
      'phone and website reverted to revision 0',
    ],
    [{ type: 'BusinessReverted', data: { to: 12, changes: { phone: '1' } } }, 'phone reverted to revision 12'],
    [
      { type: 'BusinessReverted', data: { to: 3, changes: { parent: 'b' }, previousParent: 'a' } },
      'parent reverted to revision 3',
    ],
    [
      { type: 'BusinessReverted', data: { to: 4, changes: { parent: 'a' }, previousParent: 'b' } },
      'parent reverted to revision 4',
    ],
  ],
  [
    'document',
    [aDocumentCreated({ file: null }), 'document created'],
    [{ type: 'DocumentDeleted', data: {} }, 'document deleted'],
    [{ type: 'DocumentRestored', data: {} }, 'document restored'],
    [
      { type: 'DocumentReverted', data: { to: 3, changes: { name: 'a' }, file: aStoredFile(), uploaded } },
      'file and name reverted to revision 3',
    ],
    [
      { type: 'DocumentReverted', data: { to: 2, changes: {}, file: null, uploaded: null, attachedTo: lead } },
      'file reverted to revision 2',
    ],
    [
      { type: 'DocumentReverted', data: { to: 1, changes: { entity: 'l1' }, attachedTo: lead, detachedFrom: offer } },
      'entity reverted to revision 1',
    ],
  ],
];

describe('verify.py events', function () {
  this.timeout(180_000);

  let stack: MemoryStack;
  let python: VerifyPy;
  let business: string;
  let document: string;
  let answer: string;

  const send = async (
    method: string,
    at: string,
    body: object | FormData,
    more: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly _id: string }> => {
    const json: Record<string, string> = body instanceof FormData ? {} : { 'Content-Type': 'application/json' };
    const response = await fetch(`${stack.baseUrl}/api/v1${at}`, {
      method,
      headers: { Authorization: `Bearer ${stack.tokenFor('admin')}`, ...json, ...more },
      body: body instanceof FormData ? body : JSON.stringify(body),
    });
    expect(response.status).to.equal(200);
    return (await response.json()) as { readonly _id: string }; // reason: each record has one
  };

  const eventsOf = async (record: string, query = '?proof=true'): Promise<string> => {
    const Authorization = `Bearer ${stack.tokenFor('admin')}`;
    return (await fetch(`${stack.baseUrl}/api/v1/${record}/events${query}`, { headers: { Authorization } })).text();
  };

  before(async function () {
    needs(this, hasPython(), 'python3, in which the verifier is written');
    python = await startVerifyPy();
    stack = await startMemoryStack({ ports: () => ({ eventKey: oneKey }) });
    const parent = (await send('POST', '/business', { name: 'Parent' }))._id;
    business = (await send('POST', '/business', { name: 'Acme', businessType: 'LLC', netWorth: 1.5e300, parent }))._id;
    const at = `/business/${business}`;
    await send('PUT', at, { phone: '+1 555 0100' }, { 'Change-Reason': 'asked by phone' });
    await send('PUT', at, { parent: null, city: 'Ulm', email: 'a@example.org' });
    await send('POST', `${at}/owner`, { user: 'bob', title: 'CEO', equity: 50 });
    await send('PUT', `${at}/owner/bob`, { equity: 40, title: 'Chair' });
    await send('DELETE', `${at}/owner/bob`, {});
    const form = new FormData();
    form.set('name', 'Articles');
    form.set('entityType', 'Business');
    form.set('entity', business);
    form.set('file', new Blob(['Articles of incorporation\n'], { type: 'text/plain' }), 'articles.txt');
    document = (await send('POST', '/document', form))._id;
    await send('PUT', `/document/${document}`, { entity: parent, entityType: 'Business', description: 'moved' });
    await send('PUT', `/document/${document}`, { tags: ['legal'] });
    await send('DELETE', at, {});
    answer = await eventsOf(`business/${business}`);
  });
  after(async () => {
    if (!hasPython()) return;
    await python.stop();
    await stack.stop();
  });

  const verify = async (given: string): Promise<Verified> =>
    python.run('events', await python.file('events.json', given));

  const verified = (events: number, more = '', records = '1 record'): Verified => ({
    code: 0,
    out:
      `${events} events of ${records}: every chain is intact, and what is told of each event is what was sealed.\n` +
      `All data was there and is what was sealed.\n${more}` +
      'This cannot show who sealed the events, nor that nothing came later.\n',
    error: '',
  });

  it('finds every member of what a GET with proof answers to be what was sealed', async () => {
    expect(answer.match(/"mac":"/g)).to.have.length(7);
    expect(answer.match(/"reason":"asked by phone"/g)).to.have.length(1);
    expect(await verify(answer)).to.deep.equal(verified(7));
    expect(await verify(await eventsOf(`document/${document}`))).to.deep.equal(verified(3));
  });

  it('reads an answer from its standard input', async () => {
    expect(await runVerifyPy(['events', '-'], answer)).to.deep.equal(verified(7));
  });

  it('reads one event a line as well, of several records', async () => {
    // reason: an array of events
    const all = [
      ...(JSON.parse(answer) as Array<object>),
      ...(JSON.parse(await eventsOf(`document/${document}`)) as Array<object>),
    ];
    const lines = all.map((event) => `${JSON.stringify(event)}\n`).join('');
    expect(await verify(lines)).to.deep.equal(verified(10, '', '2 records'));
    expect(await verify(`${lines}\n`)).to.deep.equal(refusal('the answer is no JSON'));
  });

  for (const [kind, ...events] of UNDONE)
    it(`computes what is said of a ${kind} that was deleted, restored and reverted`, async () => {
      const stream: StreamName = `${kind}-${ID}`;
      let previousHash = GENESIS_HASH;
      for (const [at, [event]] of events.entries()) {
        const revision = BigInt(at);
        const one = stored(event, { stream, revision, previousHash });
        right(await stack.ports.store.append(stream, at === 0 ? 'no-stream' : revision - 1n, [one]));
        previousHash = (JSON.parse(one.metadata) as Metadata).hash; // reason: written by stored()
      }
      const told = await eventsOf(`${kind}/${ID}`);
      expect(await verify(told)).to.deep.equal(verified(events.length));
      const all = JSON.parse(told) as ReadonlyArray<JsonObject>; // reason: an array of events
      expect(all.map(({ message }) => message)).to.deep.equal(events.map(([, message]) => message));
      for (const [at, event] of all.entries())
        for (const [member, other] of Object.entries({ type: 'x', message: 'x', refs: [lead, lead] }))
          expect(await verify(JSON.stringify(all.with(at, { ...event, [member]: other })))).to.deep.equal(
            refusal(`event ${at + 1} of the answer: ${member} is not what was sealed`),
          );
    });

  it('says what it cannot compute', async () => {
    expect(await verify(await eventsOf(`business/${business}`, '?proof=true&diff=true'))).to.deep.equal(
      verified(7, `Not covered: diff of 7 events, the first one in business-${business}, revision 0.\n`),
    );
  });

  const ada = { type: 'BusinessCreated', data: { name: 'Ada', parent: 'x' } };
  const changes = { name: 'Ada' };
  const oddlyReverted = (kind: 'Business' | 'Document', ...all: ReadonlyArray<Json>) =>
    all.map((data) => {
      const type = `${kind}Reverted`;
      const stream = kind === 'Business' ? 'business-7' : 'document-7';
      const what = `is a ${type} of the data ${JSON.stringify(data)}`;
      return [what, stream, kind, 1, false, ['type', 'message', 'refs'], { type, data }] as const;
    });

  for (const [what, stream, entityType, schemaVersion, isWithheld, uncovered, fact = ada] of [
    ['is of another kind of record', 'contact-7', 'Contact', 1, false, ['type', 'message', 'refs', 'entityType']],
    ['is of a later version', 'business-7', 'Business', 2, false, ['type', 'message', 'refs']],
    ['has its data withheld', 'business-7', 'Business', 1, true, ['type', 'message', 'refs']],
    ...(['Business', 'Document'] as const).flatMap((kind) => [
      ...oddlyReverted(
        kind,
        null,
        [],
        'a',
        {},
        { to: 3 },
        { changes },
        { to: 3, changes: null },
        { to: 3, changes: 7 },
      ),
      ...oddlyReverted(kind, ...['3', null, true, [3], { a: 3 }].map((to) => ({ to, changes }))),
    ]),
  ] as const)
    it(`names type, message and refs as not covered where an event ${what}`, async () => {
      const { id, type, hash, ...sealed } = seal(
        {
          ...fact,
          id: 'id',
          stream,
          revision: 0n,
          schemaVersion,
          at: '2026-01-02T03:04:05.678Z',
          actor: 'alice',
          correlationId: 'request',
          causationId: 'command',
          request: 'null',
          previousHash: GENESIS_HASH,
        },
        newSalt(systemRuntime.random),
      );
      const told = { type: 'made', message: 'something was made', refs: [], entityType, entity: '7', hash };
      const { salt, ...metadata } = JSON.parse(sealed.metadata) as JsonObject; // reason: sealed above
      const place = { _id: id, name: type, stream, revision: 0, user: metadata['actor'], at: metadata['at'] };
      const shown = isWithheld
        ? { data: null, metadata }
        : { data: JSON.parse(sealed.data) as JsonObject, metadata: { ...metadata, salt } }; // reason: sealed above
      const { code, out } = await verify(JSON.stringify([{ ...place, ...told, ...shown }]));
      expect(code).to.equal(0);
      expect(out.match(/(?<=^Not covered: )\w+(?= of 1 event, the first one in \w+-7, revision 0\.$)/gm)).to.deep.equal(
        uncovered,
      );
    });

  for (const [what, change, said] of [
    [
      'the user was changed',
      put(/"user":"[^"]*"/, '"user":"mallory"'),
      'event 1 of the answer: user is not what was sealed',
    ],
    ['the time was changed', put(/"at":"20/, '"at":"19'), 'event 1 of the answer: at is not what was sealed'],
    [
      'the type was changed',
      put('"type":"created"', '"type":"deleted"'),
      'event 1 of the answer: type is not what was sealed',
    ],
    [
      'the message was changed',
      put('phone updated', 'email updated'),
      'event 2 of the answer: message is not what was sealed',
    ],
    [
      'the fields of a message were changed',
      put('"message":"city, email and parent updated"', '"message":"city and parent updated"'),
      'event 3 of the answer: message is not what was sealed',
    ],
    [
      'a ref was taken out',
      put(/"refs":\[\{[^\]]*\]/, '"refs":[]'),
      'event 1 of the answer: refs is not what was sealed',
    ],
    [
      'a ref is to another kind',
      put(/"refs":\[\{"entity":"([^"]*)","entityType":"Business"/, '"refs":[{"entity":"$1","entityType":"User"'),
      'event 1 of the answer: refs is not what was sealed',
    ],
    [
      'the record was changed',
      put(/"entity":"./, '"entity":"x'),
      'event 1 of the answer: entity is not what was sealed',
    ],
    [
      'the kind of record was changed',
      put('"entityType":"Business","refs"', '"entityType":"Document","refs"'),
      'event 1 of the answer: entityType is not what was sealed',
    ],
    ['the hash was changed', put(/"hash":"./, '"hash":"x'), 'event 1 of the answer: hash is not what was sealed'],
    [
      'the name was changed',
      put('"name":"BusinessUpdated"', '"name":"BusinessDeleted"'),
      'event 2 of the answer: hash does not match the event',
    ],
    ['the id was changed', put(/"_id":"./, '"_id":"x'), 'event 1 of the answer: hash does not match the event'],
    [
      'the revision was changed',
      put('"revision":1,', '"revision":2,'),
      'event 2 of the answer: revision 2, expected 1',
    ],
    [
      'the revision is a text',
      put('"revision":1,', '"revision":"1",'),
      'event 2 of the answer: has no revision that is a whole number',
    ],
    [
      'the revision is no whole number',
      put('"revision":1,', '"revision":1.5,'),
      'event 2 of the answer: has no revision that is a whole number',
    ],
    ['data was changed', put('1 555', '1 556'), 'event 2 of the answer: dataHash does not match data'],
    [
      'the reason was changed',
      put('"reason":"asked', '"reason":"begged'),
      'event 2 of the answer: reason is not what was sealed',
    ],
    [
      'the reason within the data was changed',
      put('"$reason":"asked', '"$reason":"begged'),
      'event 2 of the answer: dataHash does not match data',
    ],
    ['the reason was taken out', put(',"reason":"asked by phone"', ''), 'event 2 of the answer: has no reason'],
    [
      'a reason was put in',
      put('"hash"', '"reason":"none","hash"'),
      'event 1 of the answer: has a reason, and none was sealed',
    ],
    ['the user was taken out', put(/"user":"[^"]*",/, ''), 'event 1 of the answer: has no user'],
    [
      'there is a member that nobody knows',
      put('"hash"', '"approved":true,"hash"'),
      'event 1 of the answer: has the unknown member approved',
    ],
    [
      'a member stands twice',
      put('"user"', '"user":"mallory","user"'),
      'the answer is JSON with a member that stands there twice',
    ],
    [
      'the actor in the metadata was changed',
      put(/"actor":"./, '"actor":"x'),
      'event 1 of the answer: hash does not match the event',
    ],
    [
      'the first event is missing',
      (given: string) => JSON.stringify((JSON.parse(given) as Array<object>).slice(1)),
      'event 1 of the answer: revision 1, expected 0',
    ],
    ['there is no event', () => '[]', 'the answer has no events'],
    ['there is nothing', () => '', 'the answer is no JSON'],
    ['it is no JSON', (given: string) => given.slice(0, -1), 'the answer is no JSON'],
    ['there is something behind it', (given: string) => `${given}[]`, 'the answer is no JSON'],
    [
      'lists are nested in an event',
      put('"hash"', `"diff":${'['.repeat(100_000)}${']'.repeat(100_000)},"hash"`),
      'the answer is JSON that is nested deeper than 100 levels',
    ],
    [
      'lists are nested in a line',
      () => `{"a":${'['.repeat(1_000)}`,
      'the answer is JSON that is nested deeper than 100 levels',
    ],
    ['an event is no object', () => '[1]', 'event 1 of the answer: is no JSON object'],
    [
      'the metadata is no object',
      put(/"metadata":\{[^}]*\}/, '"metadata":[]'),
      'event 1 of the answer: has no metadata',
    ],
    ['the stream is no text', put(/"stream":"[^"]*"/, '"stream":1'), 'event 1 of the answer: its stream is no text'],
  ] as const)
    it(`says so when ${what}`, async () => {
      expect(await verify(change(answer))).to.deep.equal(refusal(said));
    });

  it('says what to ask for when there is no proof', async () => {
    expect(await verify(await eventsOf(`business/${business}`, ''))).to.deep.equal(
      refusal('event 1 of the answer: has no stream: ask for the events with ?proof=true'),
    );
  });
});
