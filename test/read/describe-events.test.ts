import { expect } from 'chai';
import type { BusinessEvent } from '../../src/domain/business/events.js';
import type { DocumentEvent } from '../../src/domain/document/events.js';
import { describeBusinessEvent } from '../../src/read/describe-business-event.js';
import { describeDocumentEvent } from '../../src/read/describe-document-event.js';
import type { Description, EventKind, Ref } from '../../src/read/ref.js';
import { aStoredFile } from '../support/document-events.js';

/** Without what tells which fields it changed: that is tested apart. */
type Sentence = Omit<Description, 'fields'>;

const description = (type: EventKind, message: string, ...refs: ReadonlyArray<Ref>): Sentence => ({
  type,
  message,
  refs,
});

const business = (entity: string): Ref => ({ entity, entityType: 'Business' });
const user = (entity: string): Ref => ({ entity, entityType: 'User' });

const businessEvents: ReadonlyArray<readonly [BusinessEvent, Sentence]> = [
  [{ type: 'BusinessCreated', data: { name: 'Acme' } }, description('created', 'business created')],
  [
    { type: 'BusinessCreated', data: { name: 'Acme', parent: 'p1' } },
    description('created', 'business created', business('p1')),
  ],
  [{ type: 'BusinessUpdated', data: { changes: { phone: null } } }, description('updated', 'phone updated')],
  [
    { type: 'BusinessUpdated', data: { changes: { website: 'w', phone: '1' } } },
    description('updated', 'website and phone updated'),
  ],
  [
    {
      type: 'BusinessUpdated',
      data: { changes: { displayName: 'x', netWorth: 1, parent: 'p2' }, previousParent: 'p1' },
    },
    description('updated', 'displayName, netWorth and parent updated', business('p1'), business('p2')),
  ],
  [
    { type: 'BusinessUpdated', data: { changes: { parent: 'p2' }, previousParent: null } },
    description('updated', 'parent updated', business('p2')),
  ],
  [
    { type: 'BusinessUpdated', data: { changes: { parent: null }, previousParent: 'p1' } },
    description('updated', 'parent updated', business('p1')),
  ],
  [{ type: 'BusinessDeleted', data: {} }, description('deleted', 'business deleted')],
  [
    { type: 'BusinessOwnerAdded', data: { user: 'bob', title: null, equity: 1 } },
    description('updated', 'owner added', user('bob')),
  ],
  [
    { type: 'BusinessOwnerUpdated', data: { user: 'bob', title: null } },
    description('updated', 'owner title updated', user('bob')),
  ],
  [
    { type: 'BusinessOwnerUpdated', data: { user: 'bob', title: null, equity: 1 } },
    description('updated', 'owner title and equity updated', user('bob')),
  ],
  [{ type: 'BusinessOwnerRemoved', data: { user: 'bob' } }, description('updated', 'owner removed', user('bob'))],
];

const fields = { name: 'x', description: null, tags: [], type: 'Offer', entityType: 'Lead', entity: null } as const;
const lead = { entity: 'l1', entityType: 'Lead' } as const;
const offer = { entity: 'o1', entityType: 'Offer' } as const;
const file = aStoredFile();

const documentEvents: ReadonlyArray<readonly [DocumentEvent, Sentence]> = [
  [{ type: 'DocumentCreated', data: { ...fields, file: null } }, description('created', 'document created')],
  [{ type: 'DocumentCreated', data: { ...fields, file } }, description('created', 'document created with a file')],
  [
    { type: 'DocumentCreated', data: { ...fields, entity: 'l1', file: null } },
    description('created', 'document created', lead),
  ],
  [{ type: 'DocumentUpdated', data: { changes: {}, file } }, description('updated', 'file updated')],
  [
    { type: 'DocumentUpdated', data: { changes: { tags: [], description: null }, file } },
    description('updated', 'file, tags and description updated'),
  ],
  [
    { type: 'DocumentUpdated', data: { changes: { name: 'y' }, attachedTo: lead } },
    description('updated', 'name updated', lead),
  ],
  [
    {
      type: 'DocumentUpdated',
      data: { changes: { entity: 'o1', entityType: 'Offer' }, attachedTo: offer, detachedFrom: lead },
    },
    description('updated', 'entity and entityType updated', lead, offer),
  ],
  [
    { type: 'DocumentUpdated', data: { changes: { entity: null }, detachedFrom: lead } },
    description('updated', 'entity updated', lead),
  ],
];

const namesOf = (event: BusinessEvent | DocumentEvent): string => {
  const { changes = {}, ...others } = { changes: undefined, ...event.data };
  return Object.keys({ ...others, ...changes }).join(', ');
};

describe('the description of an event', () => {
  it('names the fields that it gave a value or changed', () => {
    const ofBusiness = businessEvents.map(([event]) => describeBusinessEvent(event).fields.join(' '));
    expect(ofBusiness).to.deep.equal([
      ...['name', 'name parent', 'phone', 'website phone', 'displayName netWorth parent', 'parent', 'parent', ''],
      ...['owners', 'owners', 'owners', 'owners'],
    ]);
    const all = 'name description tags type entityType entity';
    const ofDocument = documentEvents.map(([event]) => describeDocumentEvent(event).fields.join(' '));
    expect(ofDocument).to.deep.equal([
      ...[all, `file ${all}`, all, 'file', 'file tags description', 'name', 'entity entityType', 'entity'],
    ]);
  });

  for (const [event, description] of businessEvents)
    it(`${event.type} (${namesOf(event)})`, () => {
      const { fields: _fields, ...sentence } = describeBusinessEvent(event);
      expect(sentence).to.deep.equal(description);
    });

  for (const [event, description] of documentEvents)
    it(`${event.type} (${namesOf(event)})`, () => {
      const { fields: _fields, ...sentence } = describeDocumentEvent(event);
      expect(sentence).to.deep.equal(description);
    });
});
