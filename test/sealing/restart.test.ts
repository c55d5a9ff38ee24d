import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import type { JsonObject } from '../../src/event-sourcing/canonical-json.js';
import { GENESIS_HASH, newSalt, seal } from '../../src/event-sourcing/envelope.js';
import { makeEventKey } from '../../src/event-sourcing/event-key.js';
import type { EventStore } from '../../src/event-sourcing/event-store.js';
import { findMacRequired, requireMac } from '../../src/event-sourcing/operators/require-mac.js';
import { SEAL_STREAM } from '../../src/event-sourcing/operators/decision-events.js';
import { keepChainEnds } from '../../src/event-sourcing/whole-log/keep-chain-ends.js';
import { verifyLog } from '../../src/event-sourcing/whole-log/verify-log.js';
import { signerOf } from '../../src/seal/note-key.js';
import { nextOrigin, recordRestart } from '../../src/sealing/restart.js';
import { findSealHistory, sealInForce } from '../../src/sealing/seal-history.js';
import { wholeLog } from '../support/chained-events.js';
import { makeInMemoryEventStore } from '../support/in-memory-event-store.js';
import { right } from '../support/sealed-tree.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

const BASE = 'example.com/log';
const signer = right(signerOf(BASE, Buffer.alloc(32, 1)));
const stranger = right(signerOf(BASE, Buffer.alloc(32, 2)));
const eventKey = makeEventKey('a key of more than 32 bytes, or so it is');
const by = { actor: 'olga', at: '2026-01-01T00:00:00.000Z' };
const second = { origin: `${BASE}/2`, replaced: BASE, reason: 'restored the backup of Monday', ...by };
const third = { origin: `${BASE}/3`, replaced: `${BASE}/2`, reason: 'again', ...by };

const restartsIn = async (store: EventStore) => {
  const { restarts: valid, unsigned } = await findSealHistory(store, signer.verifier);
  return { valid, unsigned };
};

/** The same log, of which the data of the only event was changed, and its mac made anew. */
const changed = async (store: EventStore, change: (data: JsonObject) => JsonObject): Promise<EventStore> => {
  const [event] = await wholeLog(store);
  const { type, id, data } = event!;
  const fact = { id, type, revision: 0n, stream: SEAL_STREAM, schemaVersion: 1, previousHash: GENESIS_HASH, ...by };
  const command = { correlationId: id, causationId: id, request: '{}' };
  // reason: it was sealed as an object
  const { hash: _, ...sealed } = seal(
    { ...fact, ...command, data: change(JSON.parse(data) as JsonObject) },
    newSalt(systemRuntime.random),
    eventKey,
  );
  const other = makeInMemoryEventStore();
  right(await other.append(SEAL_STREAM, 'no-stream', [sealed]));
  return other;
};

describe('a restart of the seal', () => {
  it('is found in the log, the newest last, beside what else is recorded there', async () => {
    const store = makeInMemoryEventStore();
    expect(await restartsIn(store)).to.deep.equal({ valid: [], unsigned: [] });
    expect((await findSealHistory(store, signer.verifier)).origin).to.equal(BASE);
    expect(E.isRight(await recordRestart(systemRuntime, store, second, signer, eventKey))).to.equal(true);
    expect(
      E.isRight(await requireMac(systemRuntime, store, { from: 3, ...by, at: new Date(by.at) }, eventKey)),
    ).to.equal(true);
    expect(E.isRight(await recordRestart(systemRuntime, store, third, signer, undefined))).to.equal(true);
    const { valid, unsigned } = await restartsIn(store);
    expect([valid, unsigned]).to.deep.equal([[second, third], []]);
    const seal = right(await sealInForce([signer], store));
    expect([seal.history.origin, seal.signer.verifier.name]).to.deep.equal([third.origin, third.origin]);
    expect((await findMacRequired(store, [eventKey]))?.event.revision).to.equal(1n);
  });

  it('continues the chain of its stream, with a mac', async () => {
    const store = makeInMemoryEventStore();
    for (const restart of [second, third]) await recordRestart(systemRuntime, store, restart, signer, eventKey);
    const faults: Array<unknown> = [];
    const verified = await verifyLog(store, {
      keys: [eventKey],
      chainEnds: keepChainEnds(systemRuntime.random),
      onFault: (fault) => faults.push(fault),
      onPage: () => undefined,
      signal: new AbortController().signal,
    });
    expect([faults, verified.events, verified.withMac]).to.deep.equal([[], 2, 2]);
  });

  it('does not count when another key has signed it, though the key of the events has', async () => {
    const store = makeInMemoryEventStore();
    await recordRestart(systemRuntime, store, second, stranger, eventKey);
    await recordRestart(systemRuntime, store, second, signer, eventKey);
    const { valid, unsigned } = await restartsIn(store);
    expect([valid, unsigned.map(({ revision }) => revision)]).to.deep.equal([[second], [0n]]);
  });

  it('does not count when anything that it says was changed, and its mac made anew', async () => {
    const store = makeInMemoryEventStore();
    await recordRestart(systemRuntime, store, second, signer, eventKey);
    expect((await restartsIn(await changed(store, (data) => data))).valid).to.deep.equal([second]);
    for (const change of [
      { origin: `${BASE}/4` },
      { reason: 'another' },
      { replaced: `${BASE}/1` },
      { note: 'none' },
    ]) {
      const { valid, unsigned } = await restartsIn(await changed(store, (data) => ({ ...data, ...change })));
      expect([valid, unsigned.length], JSON.stringify(change)).to.deep.equal([[], 1]);
    }
  });

  it('does not count again when its event is appended once more', async () => {
    const store = makeInMemoryEventStore();
    for (const restart of [second, third, second]) await recordRestart(systemRuntime, store, restart, signer, eventKey);
    expect(await restartsIn(store)).to.deep.equal({ valid: [second, third], unsigned: [] });
  });

  it('does not count when its data is not that of a restart', async () => {
    const store = makeInMemoryEventStore();
    await recordRestart(systemRuntime, store, second, signer, eventKey);
    const [event] = await wholeLog(store);
    const { type, metadata } = event!;
    const texts = ['{"origin":1}', 'no JSON'];
    for (const [at, data] of texts.entries())
      right(await store.append(SEAL_STREAM, BigInt(at), [{ id: randomUUID(), type, data, metadata }]));
    const { valid, unsigned } = await restartsIn(store);
    expect([valid, unsigned.length]).to.deep.equal([[second], 2]);
  });

  it('gets a name under which nothing was signed', async () => {
    const taken = new Set([`${BASE}/3`, `${BASE}/4`]);
    const isTaken = (origin: string) => Promise.resolve(taken.has(origin));
    expect(await nextOrigin(BASE, [], isTaken)).to.equal(`${BASE}/2`);
    expect(await nextOrigin(BASE, [second], isTaken)).to.equal(`${BASE}/5`);
    expect(await nextOrigin(BASE, [{ ...second, origin: `${BASE}/5` }], isTaken)).to.equal(`${BASE}/6`);
  });
});
