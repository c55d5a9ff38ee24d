import { expect } from 'chai';
import { laterErasures, readListed } from '../../src/backup/later-erasures.js';
import { keyPath, recordPath } from '../../src/event-sourcing/encryption/key-tree.js';
import type { StoredEvent, StreamName } from '../../src/event-sourcing/recorded-event.js';
import { checkpointAt } from '../../src/event-sourcing/recorded-event.js';

const STREAM: StreamName = 'business-0198f000-0000-7000-8000-000000000001';
const OTHER: StreamName = 'business-0198f000-0000-7000-8000-000000000002';

const event = (revision: number, change: Partial<StoredEvent> = {}): StoredEvent => ({
  ...{ id: String(revision), type: 'BusinessUpdated', stream: STREAM, revision: BigInt(revision) },
  ...{ position: BigInt(revision), data: '{"$encrypted":"AAAA"}', metadata: '{}' },
  ...change,
});

const erased = (revision: number, events: unknown): StoredEvent =>
  event(revision, { type: 'BusinessErased', data: JSON.stringify({ events, basis: 'b' }) });

/** A log that has these events. */
const logOf = (...events: ReadonlyArray<StoredEvent>) => ({
  async *readAll() {
    yield await Promise.resolve({ events, checkpoint: checkpointAt(1n) });
  },
});

describe('what is erased later than a backup was made', () => {
  it('is what the backup has of it, and does not say itself', async () => {
    const events: ReadonlyArray<[number, number]> = [
      [1, 2],
      [4, 9],
    ];
    const log = logOf(event(0), event(1), event(2), erased(3, [[2, 2]]), event(4), event(5));
    const listed = [
      { basis: 'one', records: [{ stream: STREAM, events }] },
      { basis: 'known', records: [{ stream: STREAM, events: [[2, 2] as [number, number]] }] },
      { basis: 'new', records: [{ stream: OTHER, events: 'all' as const }] },
      { basis: 'all', records: [{ stream: STREAM, events: 'all' as const }] },
    ];
    expect(await laterErasures(log, listed)).to.deep.equal({
      // also what the log says to be erased: whoever wrote that without a right to may not keep it readable
      places: [1n, 2n, 4n, 5n, 2n].map((revision) => keyPath(STREAM, revision)).concat([recordPath(STREAM)]),
      erasures: [
        {
          basis: 'one',
          records: [
            {
              stream: STREAM,
              events: [
                [1, 1],
                [4, 5],
              ],
            },
          ],
        },
        { basis: 'all', records: [{ stream: STREAM, events: 'all' }] },
      ],
      notInBackup: [OTHER],
    });
  });

  it('is refused where it was backed up in clear', async () => {
    const log = logOf(event(0, { data: '{"name":"Acme"}' }));
    const listed = [{ basis: 'b', records: [{ stream: STREAM, events: 'all' as const }] }];
    const refused = await laterErasures(log, listed).catch(String);
    expect(refused).to.include(`what was erased of ${STREAM.replace('-', '/')} is in the backup in clear`);
  });

  it('is carried out where the backup has events that were erased before they were imported', async () => {
    const withheld = event(0, { data: '{}', metadata: '{"dataHash":"d"}' });
    const listed = [{ basis: 'b', records: [{ stream: STREAM, events: 'all' as const }] }];
    const { erasures } = await laterErasures(logOf(withheld, event(1)), listed);
    expect(erasures).to.deep.equal(listed);
  });

  for (const [what, change] of [
    ['a stream that is none of a record', { stream: '$erasure' }],
    ['an id that is none', { stream: 'business-1' }],
    ['a revision that is no number', { events: [['1', '2']] }],
    ['a part of an event', { events: [[0.5, 2]] }],
    ['nothing that is erased', { events: undefined }],
  ] as const)
    it(`is not read from a list with ${what}`, () => {
      const line = JSON.stringify({ log: 'l', basis: 'b', records: [{ stream: STREAM, events: 'all', ...change }] });
      expect(() => readListed(`\n${line}\n`, 'list', 'l')).to.throw('line 2 of list is none that');
    });
});
