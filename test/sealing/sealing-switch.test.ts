import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { type EventKeys, makeEventKey } from '../../src/event-sourcing/event-key.js';
import type { EventStore } from '../../src/event-sourcing/event-store.js';
import { type DecisionEvent, SEAL_STREAM } from '../../src/event-sourcing/operators/decision-events.js';
import { endOfDecisions } from '../../src/event-sourcing/operators/read-decisions.js';
import { recordDecision } from '../../src/event-sourcing/operators/record-decision.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';
import { recordSealing } from '../../src/sealing/sealing-switch.js';
import { wholeLog } from '../support/chained-events.js';
import { makeInMemoryEventStore } from '../support/in-memory-event-store.js';
import { makeManualClock } from '../support/manual-clock.js';
import { right } from '../support/sealed-tree.js';

const keys: EventKeys = [makeEventKey('a key of more than 32 bytes, or so it is')];

describe('whether checkpoints are signed', () => {
  let store: EventStore;
  const runtime = { ...systemRuntime, clock: makeManualClock() };

  beforeEach(() => {
    store = makeInMemoryEventStore();
  });

  /** Records each in turn; whether it was recorded, or the log said so already. */
  const recorded = async (settings: ReadonlyArray<boolean>, known: EventKeys = keys) => {
    const outcomes: Array<boolean> = [];
    for (const isOn of settings) outcomes.push(right(await recordSealing(runtime, store, isOn, known)));
    return outcomes;
  };

  it('is recorded when it changes, and at first they are', async () => {
    expect(await recorded([true, false, false, true, true, false])).to.deep.equal([
      ...[false, true, false],
      ...[true, false, true],
    ]);
    expect((await wholeLog(store)).map(({ stream, type, data }) => [stream, type, data])).to.deep.equal(
      ['{"isOn":false}', '{"isOn":true}', '{"isOn":false}'].map((data) => [SEAL_STREAM, 'SealingSwitched', data]),
    );
  });

  it('is recorded by the settings, and at the time of the clock', async () => {
    await recorded([false]);
    const [event] = await wholeLog(store);
    expect(JSON.parse(event?.metadata ?? '')).to.deep.include({
      actor: 'the settings of the service',
      at: '2026-01-02T03:04:05.678Z',
    });
  });

  it('is what was recorded with a key, whatever was appended without one', async () => {
    expect(await recorded([false], [])).to.deep.equal([true]);
    expect(await recorded([true, false])).to.deep.equal([false, true]);
    expect(await recorded([true], [])).to.deep.equal([true]);
    expect(await recorded([false])).to.deep.equal([false]);
  });

  it('is not said by an event that nobody understands', async () => {
    const event = { type: 'SealingSwitched', data: { isOn: 'no' } } as unknown as DecisionEvent; // reason: it is wrong
    const end = await endOfDecisions(store, SEAL_STREAM);
    const decision = { stream: SEAL_STREAM, event, actor: 'olga', at: new Date() };
    const read = () => Promise.resolve({ isRecorded: false, end });
    expect(await recordDecision(runtime, store, decision, read, keys[0])).to.deep.equal(E.right(true));
    expect(await recorded([true, false])).to.deep.equal([false, true]);
  });
});
