import { expect } from 'chai';
import { type RecognisableLog, wrongLogOf } from '../../projections/engine/generation/provenance.js';
import { orThrow } from '../../src/event-sourcing/attempt.js';
import { checkpointAt } from '../../src/event-sourcing/recorded-event.js';
import { makeInMemoryEventStore } from '../support/in-memory-event-store.js';
import { append, created, renamed, sealed } from './appending.js';

const BUSINESS = 'business-0198f000-0000-7000-8000-000000000001';
const OTHER = 'business-0198f000-0000-7000-8000-000000000002';
const DOCUMENT = 'document-0198f000-0000-7000-8000-000000000003';

/** The newest event that the rows show. They have passed over one of something else behind it. */
const shown = sealed(created('Acme'), BUSINESS, 0n);
const last = { stream: BUSINESS, revision: 0n, id: shown.id } as const;

describe('the log that rows were made from', () => {
  let log: ReturnType<typeof makeInMemoryEventStore>;
  let logIdentity: string;

  beforeEach(async () => {
    log = makeInMemoryEventStore();
    logIdentity = orThrow(await log.identity());
    await append(log, BUSINESS, 0n, shown);
    await append(log, DOCUMENT, 0n, created('a document'));
  });

  /** How a log with the same name differs from it, as far as these rows know. */
  const differenceOf = async (connected: RecognisableLog): Promise<string | undefined> => {
    const named = { ...connected, identity: () => log.identity() };
    const wrong = await wrongLogOf(named, 'businesses', { logIdentity, checkpoint: checkpointAt(2n), last });
    return wrong && `${wrong.difference}: ${wrong.reason}`;
  };

  it('is this one, also when it has grown, and any of its name for rows of nothing', async () => {
    expect(await differenceOf(log)).to.equal(undefined);
    await append(log, BUSINESS, 1n, renamed('Acme 2'));
    expect(await differenceOf(log)).to.equal(undefined);
    const empty = { ...makeInMemoryEventStore(), identity: () => log.identity() };
    const none = { logIdentity, checkpoint: 'start', last: undefined } as const;
    expect(await wrongLogOf(empty, 'businesses', none)).to.equal(undefined);
  });

  it('is none of another name', async () => {
    const rows = { logIdentity, checkpoint: checkpointAt(2n), last };
    expect(await wrongLogOf({ ...log, identity: makeInMemoryEventStore().identity }, 'businesses', rows)).to.include({
      difference: 'OtherLog',
    });
  });

  it('is none that lacks events that they have passed over, though it has all that they show', async () => {
    const cut = makeInMemoryEventStore();
    await append(cut, BUSINESS, 0n, shown);
    expect(await differenceOf(cut)).to.equal(
      'OtherPast: The read model "businesses" has seen position 2, which is not in the log',
    );
  });

  it('is none that has another event in the place of the newest that they show, or nothing', async () => {
    const reason = `The read model "businesses" has seen event ${shown.id}, revision 0 of ${BUSINESS}, which is not in the log`;
    for (const stream of [BUSINESS, OTHER] as const) {
      const other = makeInMemoryEventStore();
      await append(other, stream, 0n, created('another'), renamed('another'));
      expect(await differenceOf(other)).to.equal(`OtherPast: ${reason}`);
    }
  });
});
