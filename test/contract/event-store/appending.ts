import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { MAX_APPEND_BYTES } from '../../../src/event-sourcing/append-limits.js';
import type { ExpectedRevision } from '../../../src/event-sourcing/recorded-event.js';
import {
  anEvent,
  append,
  appended,
  aStream,
  collect,
  FAR,
  OVER,
  someEvents,
  type StoreUnderTest,
} from './store-under-test.js';

const conflict = (expected: ExpectedRevision, actual: ExpectedRevision) =>
  E.left({ _tag: 'RevisionConflict', expected, actual });

const idsOf = (events: ReadonlyArray<{ readonly id: string }>): ReadonlyArray<string> => events.map(({ id }) => id);

export const appending = (store: StoreUnderTest): void => {
  it('appends the first event at no-stream and the next ones at the revision before them', async () => {
    const stream = aStream();
    const first = await appended(store(), stream, 'no-stream', anEvent());
    const second = await appended(store(), stream, 0n, ...someEvents(3));
    const third = await appended(store(), stream, 3n, anEvent());
    expect([first.revision, second.revision, third.revision]).to.deep.equal([0n, 3n, 4n]);
    expect(first.position < second.position && second.position < third.position).to.equal(true);
  });

  it('answers with the position under which the last event is read back', async () => {
    const stream = aStream();
    const { position, revision } = await appended(store(), stream, 'no-stream', ...someEvents(3));
    const events = await collect(store().readStream(stream, { direction: 'forwards' }));
    expect(events.map((event) => event.revision)).to.deep.equal([0n, 1n, 2n]);
    expect({ position, revision }).to.deep.equal({ position: events[2]!.position, revision: events[2]!.revision });
  });

  it('gives every field back byte for byte, and nothing else', async () => {
    const stream = aStream();
    const data = JSON.stringify({
      '': null,
      'back\\slash "quote"': '\u0000\u001f\b\f\n\r\t/',
      emoji: '👩‍👩‍👧 e\u0301 ﷽ \u2028\u2029 \u007f',
      list: [1e21, 1e-7, -0.5, true, [], {}],
      ﬀ: 'ﬁ',
    });
    const event = anEvent({ type: 'Übung-gehalten', data, metadata: '{"$correlationId":"ä","n":[1,2]}' });
    const sealed = { ...event, hash: 'a field of the sender, not of the log' };
    const { position } = await appended(store(), stream, 'no-stream', sealed);
    const events = await collect(store().readStream(stream, { direction: 'forwards' }));
    expect(events).to.deep.equal([{ ...event, stream, revision: 0n, position }]);
  });

  it('gives expected and actual revision of a conflict and appends nothing', async () => {
    const stream = aStream();
    expect(await append(store(), stream, 0n, anEvent())).to.deep.equal(conflict(0n, 'no-stream'));
    const events = someEvents(12);
    await appended(store(), stream, 'no-stream', ...events);
    expect(await append(store(), stream, 'no-stream', anEvent())).to.deep.equal(conflict('no-stream', 11n));
    expect(await append(store(), stream, 9n, anEvent())).to.deep.equal(conflict(9n, 11n));
    expect(await append(store(), stream, 12n, anEvent())).to.deep.equal(conflict(12n, 11n));
    expect(await append(store(), stream, 99n, ...someEvents(2))).to.deep.equal(conflict(99n, 11n));
    const there = await collect(store().readStream(stream, { direction: 'forwards' }));
    expect(idsOf(there)).to.deep.equal(idsOf(events));
  });

  it('rejects a stale append of several events as a whole, also where the last of them would fit', async () => {
    const stream = aStream();
    await appended(store(), stream, 'no-stream', ...someEvents(2));
    expect(await append(store(), stream, 0n, ...someEvents(3))).to.deep.equal(conflict(0n, 1n));
    expect(await collect(store().readStream(stream, { direction: 'forwards' }))).to.have.length(2);
  });

  it('answers a repeated append with the original revision and position, also after later events', async () => {
    const stream = aStream();
    const events = someEvents(3);
    const { revision, position } = await appended(store(), stream, 'no-stream', ...events);
    const repeated = E.right({ revision, position, confirmedNew: false });
    expect(await append(store(), stream, 'no-stream', ...events)).to.deep.equal(repeated);
    await appended(store(), stream, 2n, anEvent());
    expect(await append(store(), stream, 'no-stream', ...events)).to.deep.equal(repeated);
    expect(await collect(store().readStream(stream, { direction: 'forwards' }))).to.have.length(4);
  });

  it('knows a repeated append by its ids alone and keeps what was stored first', async () => {
    const stream = aStream();
    const event = anEvent();
    const { revision, position } = await appended(store(), stream, 'no-stream', event);
    const other = { ...event, type: 'NoteForged', data: '{"text":"another"}' };
    expect(await append(store(), stream, 'no-stream', other)).to.deep.equal(
      E.right({ revision, position, confirmedNew: false }),
    );
    const there = await collect(store().readStream(stream, { direction: 'forwards' }));
    expect(there).to.deep.equal([{ ...event, stream, revision, position }]);
  });

  it('recognises a part of an earlier append, and two earlier appends in one', async () => {
    const stream = aStream();
    const [a, b, c] = [anEvent(), anEvent(), anEvent()];
    await appended(store(), stream, 'no-stream', a, b);
    await appended(store(), stream, 1n, c);
    const there = await collect(store().readStream(stream, { direction: 'forwards' }));
    const at = (index: number) =>
      E.right({ revision: BigInt(index), position: there[index]!.position, confirmedNew: false });
    expect(await append(store(), stream, 'no-stream', a)).to.deep.equal(at(0));
    expect(await append(store(), stream, 0n, b)).to.deep.equal(at(1));
    expect(await append(store(), stream, 'no-stream', a, b, c)).to.deep.equal(at(2));
  });

  it('calls a repeat a conflict when it is stored only in part, in another order, or at another revision', async () => {
    const stream = aStream();
    const [a, b] = [anEvent(), anEvent()];
    await appended(store(), stream, 'no-stream', a, b);
    expect(await append(store(), stream, 'no-stream', a, b, anEvent())).to.deep.equal(conflict('no-stream', 1n));
    expect(await append(store(), stream, 0n, b, anEvent())).to.deep.equal(conflict(0n, 1n));
    expect(await append(store(), stream, 'no-stream', b, a)).to.deep.equal(conflict('no-stream', 1n));
    expect(await append(store(), stream, 0n, a)).to.deep.equal(conflict(0n, 1n));
    expect(await append(store(), stream, 5n, b)).to.deep.equal(conflict(5n, 1n));
    expect(await collect(store().readStream(stream, { direction: 'forwards' }))).to.have.length(2);
  });

  it('lets exactly one of many appends at the same revision win', async () => {
    const stream = aStream();
    await appended(store(), stream, 'no-stream', anEvent());
    const rivals = Array.from({ length: 16 }, () => anEvent());
    const outcomes = await Promise.all(rivals.map((rival) => append(store(), stream, 0n, rival)));
    const winners = rivals.filter((_, index) => E.isRight(outcomes[index]!));
    expect(winners).to.have.length(1);
    expect(outcomes.filter(E.isLeft)).to.deep.equal(Array.from({ length: 15 }, () => conflict(0n, 1n)));
    const there = await collect(store().readStream(stream, { direction: 'backwards', limit: 1 }));
    expect(idsOf(there)).to.deep.equal(idsOf(winners));
  });

  it('does not send what no time is left for, and takes it again', async () => {
    const stream = aStream();
    const event = anEvent();
    const late = await store().append(stream, 'no-stream', [event], OVER);
    expect(E.isLeft(late) && late.left._tag).to.equal('StoreUnavailable');
    expect(await collect(store().readStream(stream, { direction: 'forwards' }))).to.deep.equal([]);
    const again = await store().append(stream, 'no-stream', [event], FAR);
    expect(E.isRight(again) && again.right.revision).to.equal(0n);
  });

  it('takes an append of the largest size and refuses one byte more', async () => {
    const stream = aStream();
    const sized = (bytes: number) => {
      const frame = anEvent({ data: '""', metadata: '{}' });
      return { ...frame, data: `"${'x'.repeat(bytes - 4 - 2 * frame.type.length)}"` };
    };
    const refused = await append(store(), stream, 'no-stream', sized(MAX_APPEND_BYTES + 1));
    expect(E.isLeft(refused) && refused.left._tag).to.equal('AppendRejected');
    expect((await appended(store(), stream, 'no-stream', sized(MAX_APPEND_BYTES))).revision).to.equal(0n);
  });

  it('refuses text that is no valid Unicode', async () => {
    for (const over of [{ data: '"\ud800"' }, { metadata: '{"actor":"\udc00"}' }, { type: 'Note\ud800Taken' }]) {
      const refused = await append(store(), aStream(), 'no-stream', anEvent(over));
      expect(E.isLeft(refused) && refused.left._tag, Object.keys(over)[0]).to.equal('AppendRejected');
    }
  });
};
