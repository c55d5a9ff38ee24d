import { expect } from 'chai';
import { encryptionRulesOf, registry } from '../../src/entities/registry.js';
import { encryptedStore } from '../../src/event-sourcing/encryption/encrypted-store.js';
import { erasedPlaces } from '../../src/event-sourcing/erasure/erased-places.js';
import type { EventStore } from '../../src/event-sourcing/event-store.js';
import type { StreamName } from '../../src/event-sourcing/recorded-event.js';
import { KNOWN_MS, openEncryption } from '../../src/infrastructure/open-encryption.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';
import { collect } from '../contract/event-store/store-under-test.js';
import { aBusinessCreated } from '../support/business-events.js';
import { givenStream } from '../support/given-stream.js';
import { makeInMemoryEventStore } from '../support/in-memory-event-store.js';
import { makeManualClock } from '../support/manual-clock.js';
import { drawCheckpointKey, memoryConfig } from '../support/memory-adapters/memory-config.js';
import { makeMemoryKeyState } from '../support/memory-adapters/memory-key-state.js';
import { right } from '../support/sealed-tree.js';

const STREAM = 'business-0198f000-0000-7000-8000-000000000000';
const LAST = KNOWN_MS + 1;

describe('the keys of a log, as a process knows them', () => {
  /** Two processes with one log, the second of which reaches the keys while `isNear`. */
  const arrange = async () => {
    const clock = makeManualClock();
    const runtime = { ...systemRuntime, clock };
    const state = makeMemoryKeyState();
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const reach = { isNear: true, isSilent: false, asked: 0, answer: () => answer() };
    const far: typeof state = {
      ...state,
      readOther: async (known) => {
        reach.asked += 1;
        if (reach.isSilent) await answered;
        return reach.isNear ? state.readOther(known) : Promise.reject(new Error('connection refused'));
      },
    };
    const config = memoryConfig(drawCheckpointKey(systemRuntime.random), true);
    const log = makeInMemoryEventStore();
    const open = async (keyState: typeof state) => {
      const rules = encryptionRulesOf(registry);
      const opening = { runtime, config, store: log, openState: () => keyState, rules, begins: 'now' } as const;
      const { encryption, keyControl, close } = right(await openEncryption(opening));
      if (encryption === undefined || keyControl === undefined) throw new Error('the log is not encrypted');
      return { store: encryptedStore(log, encryption), keyControl, close };
    };
    const [one, other] = [await open(state), await open(far)];
    await givenStream(one.store, STREAM, [aBusinessCreated()]);
    const close = async () => {
      const closing = Promise.all([one.close(), other.close()]);
      await clock.advance(0);
      await closing;
    };
    return { clock, state, one, other, reach, close };
  };

  const read = async (store: EventStore, stream: StreamName = STREAM): Promise<string> =>
    collect(store.readStream(stream, { direction: 'forwards' })).then(
      ([event]) => (event?.data === '{}' ? 'erased' : 'readable'),
      String,
    );

  it('are those that others have left, some seconds after they destroyed one', async () => {
    const { clock, one, other, close } = await arrange();
    await one.keyControl.destroy(erasedPlaces(STREAM, 'all'));
    expect([await read(one.store), await read(other.store)]).to.deep.equal(['erased', 'readable']);
    await clock.advance(LAST);
    expect(await read(other.store)).to.equal('erased');
    await close();
  });

  it('stay what they were while the database does not answer, and no longer', async () => {
    const { clock, one, other, reach, close } = await arrange();
    reach.isNear = false;
    await one.keyControl.destroy(erasedPlaces(STREAM, 'all'));
    await clock.advance(LAST);
    expect([await read(one.store), await read(other.store)]).to.deep.equal(['erased', 'readable']);
    reach.isNear = true;
    await clock.advance(LAST);
    expect(await read(other.store)).to.equal('erased');
    await close();
  });

  it('are waited for a second, and by one read in nine seconds, while the database is silent', async () => {
    const { clock, one, other, reach, close } = await arrange();
    reach.isSilent = true;
    await one.keyControl.destroy(erasedPlaces(STREAM, 'all'));
    await clock.advance(LAST);
    const began = clock.monotonic();
    const reading = read(other.store);
    await clock.advance(1_000);
    expect(await reading).to.equal('readable');
    expect(await read(other.store)).to.equal('readable');
    expect(clock.monotonic() - began).to.equal(1_000);
    reach.answer();
    await clock.advance(0);
    expect(await read(other.store)).to.equal('erased');
    await close();
  });

  it('stay destroyed when an older state is put back beneath a process, which learns of what is destroyed then', async () => {
    const { clock, state, one, other, close } = await arrange();
    const SECOND = 'business-0198f000-0000-7000-8000-000000000001';
    await givenStream(one.store, SECOND, [aBusinessCreated()]);
    const first = state.first();
    await one.keyControl.destroy(erasedPlaces(STREAM, 'all'));
    await one.keyControl.rewrap();
    await clock.advance(LAST);
    if (first !== undefined) state.putBack(first);
    await clock.advance(LAST);
    expect([await read(one.store), await read(other.store)]).to.deep.equal(['erased', 'erased']);
    // this state is of a lower version than the one that they know
    await one.keyControl.destroy(erasedPlaces(SECOND, 'all'));
    await clock.advance(LAST);
    expect([await read(one.store, SECOND), await read(other.store, SECOND)]).to.deep.equal(['erased', 'erased']);
    await close();
  });

  it('are not those of another log, and are what they were when their own are put back', async () => {
    const { clock, state, one, close } = await arrange();
    const first = state.first();
    if (first === undefined) throw new Error('there are no keys');
    state.putBack({ ...first, tree: 'another', wrapped: Buffer.from(first.wrapped).fill(0, 0, 12) });
    await clock.advance(LAST);
    expect(await read(one.store)).to.include('no line of ERASURE_KEY opens the keys');
    state.putBack(first);
    await clock.advance(LAST);
    expect(await read(one.store)).to.equal('readable');
    await close();
  });

  it('are asked for once by all who read while the process has slept', async () => {
    const { clock, one, other, reach, close } = await arrange();
    await one.keyControl.destroy(erasedPlaces(STREAM, 'all'));
    const before = reach.asked;
    let reading: Promise<ReadonlyArray<string>> | undefined;
    await clock.block(60_000, () => {
      reading = Promise.all([1, 2, 3].map(() => read(other.store)));
    });
    expect(await reading).to.deep.equal(['erased', 'erased', 'erased']);
    expect(reach.asked - before).to.be.at.most(2);
    await close();
  });
});
