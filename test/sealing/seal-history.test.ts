import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { orThrow } from '../../src/event-sourcing/attempt.js';
import { canonicalJson, type JsonObject } from '../../src/event-sourcing/canonical-json.js';
import { makeEventKey } from '../../src/event-sourcing/event-key.js';
import type { EventStore } from '../../src/event-sourcing/event-store.js';
import { type DecisionEvent, SEAL_STREAM } from '../../src/event-sourcing/operators/decision-events.js';
import { endOfDecisions } from '../../src/event-sourcing/operators/read-decisions.js';
import { recordDecision } from '../../src/event-sourcing/operators/record-decision.js';
import { signCheckpoint } from '../../src/seal/checkpoint.js';
import { signNote } from '../../src/seal/note.js';
import { renderVerifier, type Signer, signerOf } from '../../src/seal/note-key.js';
import { type KeyChange, keyChangeMembers, recordKeyChange, renderKeyChanges } from '../../src/sealing/key-change.js';
import { openKnown } from '../../src/sealing/kept-checkpoint.js';
import { type NotReplaced, replaceKey } from '../../src/sealing/replace-key.js';
import { recordRestart } from '../../src/sealing/restart.js';
import { changesInForce, findSealHistory, keysOf, sealInForce } from '../../src/sealing/seal-history.js';
import { signTree } from '../../src/sealing/sign-tree.js';
import { wholeLog } from '../support/chained-events.js';
import { makeInMemoryEventStore } from '../support/in-memory-event-store.js';
import { makeMemoryTree } from '../support/memory-tree.js';
import { right } from '../support/sealed-tree.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

const ORIGIN = 'example.com/log';
const key = (number: number, name = ORIGIN): Signer => right(signerOf(name, Buffer.alloc(32, number)));
const [first, second, third, stranger] = [key(1), key(2), key(3), key(9)];
const eventKey = makeEventKey('a key of more than 32 bytes, or so it is');
const because = { reason: 'yearly', actor: 'olga', at: '2026-01-01T00:00:00.000Z' };
const root = (byte = 5): Buffer => Buffer.alloc(32, byte);

const change = async (store: EventStore, by: Signer, next: Signer, size: number, origin = ORIGIN): Promise<KeyChange> =>
  right(
    await recordKeyChange(
      systemRuntime,
      store,
      { by, with: next, last: { origin, size, root: root() }, ...because },
      eventKey,
    ),
  );

/** Records a change of the key as it is told here, whatever has signed it. */
const forge = async (store: EventStore, data: JsonObject): Promise<void> => {
  const event = { type: 'CheckpointKeyReplaced', data } as unknown as DecisionEvent; // reason: it may be anything
  const end = await endOfDecisions(store, SEAL_STREAM);
  const decision = { stream: SEAL_STREAM, event, actor: because.actor, at: new Date(because.at) };
  right(
    await recordDecision(systemRuntime, store, decision, () => Promise.resolve({ isRecorded: false, end }), eventKey),
  );
};

const ids = (signers: ReadonlyArray<Signer>) => signers.map(({ verifier }) => verifier.id);

describe('the keys of the checkpoints', () => {
  let store: EventStore;

  beforeEach(() => {
    store = makeInMemoryEventStore();
  });

  /** What who knows this key first makes of the log. */
  const known = async (by: Signer) => {
    const { origin, key: inForce, keys, keyChanges, restarts, unsigned } = await findSealHistory(store, by.verifier);
    return {
      ...{
        origin,
        inForce: inForce.id,
        keys: keys.map(({ verifier, last }) => [verifier.name, verifier.id, last?.size]),
      },
      ...{ changes: keyChanges.length, restarts: restarts.length, unsigned: unsigned.map(({ revision }) => revision) },
    };
  };

  it('are one, before all decisions', async () => {
    expect(await known(first)).to.deep.equal({
      ...{ origin: ORIGIN, inForce: first.verifier.id, keys: [[ORIGIN, first.verifier.id, undefined]] },
      ...{ changes: 0, restarts: 0, unsigned: [] },
    });
  });

  it('leave a restart that only one that was replaced has signed without a signature', async () => {
    await change(store, first, second, 10);
    const restart = { origin: ORIGIN, replaced: 'example.com/made-up', ...because };
    right(await recordRestart(systemRuntime, store, restart, first, eventKey));
    right(await recordRestart(systemRuntime, store, restart, first, eventKey));
    for (const by of [first, second])
      expect(await known(by)).to.deep.include({
        origin: ORIGIN,
        inForce: second.verifier.id,
        restarts: 0,
        unsigned: [1n, 2n],
      });
  });

  it('are all that follow one another, to who knows any of them', async () => {
    await change(store, first, second, 10);
    await change(store, second, third, 20);
    const [one, two, three] = ids([first, second, third]);
    for (const by of [first, second, third])
      expect(await known(by)).to.deep.equal({
        ...{ origin: ORIGIN, inForce: three, changes: 2, restarts: 0, unsigned: [] },
        keys: [
          [ORIGIN, one, 10],
          [ORIGIN, two, 20],
          [ORIGIN, three, undefined],
        ],
      });
  });

  it('sign under each origin that was in force with them', async () => {
    await change(store, first, second, 10);
    const restart = { origin: `${ORIGIN}/2`, replaced: ORIGIN, ...because };
    right(await recordRestart(systemRuntime, store, restart, second, eventKey));
    const [later, last] = [key(2, `${ORIGIN}/2`), key(3, `${ORIGIN}/2`)];
    await change(store, later, last, 7, `${ORIGIN}/2`);
    const expected = {
      ...{ origin: `${ORIGIN}/2`, inForce: last.verifier.id, changes: 2, restarts: 1, unsigned: [] },
      keys: [
        [ORIGIN, first.verifier.id, 10],
        [ORIGIN, second.verifier.id, undefined],
        [`${ORIGIN}/2`, later.verifier.id, 7],
        [`${ORIGIN}/2`, last.verifier.id, undefined],
      ],
    };
    for (const by of [first, second, third, later, last])
      expect(await known(by), by.verifier.id).to.deep.equal(expected);
  });

  it('sign under the origin before a restart, too, to who knows them by the one after it', async () => {
    const restart = { origin: `${ORIGIN}/2`, replaced: ORIGIN, ...because };
    right(await recordRestart(systemRuntime, store, restart, first, eventKey));
    const later = key(1, `${ORIGIN}/2`);
    for (const by of [first, later])
      expect((await known(by)).keys).to.deep.equal([
        [ORIGIN, first.verifier.id, undefined],
        [`${ORIGIN}/2`, later.verifier.id, undefined],
      ]);
  });

  it('have signed a restart that is recorded once more after they were replaced', async () => {
    const restart = { origin: `${ORIGIN}/2`, replaced: ORIGIN, ...because };
    right(await recordRestart(systemRuntime, store, restart, first, eventKey));
    await change(store, key(1, `${ORIGIN}/2`), key(2, `${ORIGIN}/2`), 7, `${ORIGIN}/2`);
    right(await recordRestart(systemRuntime, store, restart, first, eventKey));
    expect(await known(second)).to.deep.include({ restarts: 1, changes: 1, unsigned: [] });
  });

  it('are changed under the origin in force by the changes after the last restart', async () => {
    await change(store, first, second, 10);
    const restart = { origin: `${ORIGIN}/2`, replaced: ORIGIN, ...because };
    right(await recordRestart(systemRuntime, store, restart, second, eventKey));
    await change(store, key(2, `${ORIGIN}/2`), key(3, `${ORIGIN}/2`), 7, `${ORIGIN}/2`);
    const history = await findSealHistory(store, first.verifier);
    expect(changesInForce(history).map(({ last }) => last.size)).to.deep.equal([7]);
    // there is no key of that name
    expect(keysOf(history)('two words')).to.deep.equal([]);
  });

  const signedByBoth: ReadonlyArray<readonly [string, Signer, Signer, number]> = [
    ['is of another origin', first, key(2, 'elsewhere.example'), 10],
    ['replaces one of another origin', key(1, 'elsewhere.example'), second, 10],
    ['replaces a key by itself', first, first, 10],
    ['follows a part of an event', first, second, 1.5],
  ];

  for (const [what, by, next, size] of signedByBoth)
    it(`are not changed by what both have signed and ${what}`, async () => {
      await change(store, by, next, size);
      expect(await known(first)).to.deep.include({ inForce: first.verifier.id, changes: 0, unsigned: [0n] });
    });

  it('let a process sign that has the one in force, in whatever order, and no other one', async () => {
    await change(store, first, second, 10);
    for (const signers of [[second], [first, second], [second, first]] as const)
      expect(right(await sealInForce(signers, store)).signer.verifier.id).to.equal(second.verifier.id);
    const refused = await sealInForce([first], store);
    expect(E.isLeft(refused) && refused.left.message).to.equal(
      `the key of the checkpoints was replaced, and CHECKPOINT_KEY does not have the one that signs now: ${renderVerifier(second.verifier)}`,
    );
    // one that was put beside it, and has replaced nothing yet
    expect(right(await sealInForce([second, third], store)).signer.verifier.id).to.equal(second.verifier.id);
  });

  it('are brought in by nobody who does not have the one in force', async () => {
    const said = { replaced: first.verifier, key: stranger.verifier, last: { origin: ORIGIN, size: 10, root: root() } };
    const { actor, at, ...members } = keyChangeMembers({ ...said, ...because });
    const genuine = await change(makeInMemoryEventStore(), first, second, 10);
    const { actor: _, at: __, ...ofGenuine } = keyChangeMembers(genuine);
    const text = genuine.note.slice(0, genuine.note.indexOf('\n\n') + 1);
    const forged: ReadonlyArray<JsonObject> = [
      { ...members, note: right(signNote(text.replace(renderVerifier(second.verifier), members.key), stranger)) },
      { ...members, note: genuine.note },
      { ...ofGenuine, note: right(signNote(text, first)) },
      { ...ofGenuine, note: right(signNote(text, second)) },
      { ...ofGenuine, note: right(signNote(text, stranger, second)) },
      { ...ofGenuine, note: 'none' },
      { ...ofGenuine, replaced: 'none', note: genuine.note },
      { ...ofGenuine, key: 'none', note: genuine.note },
      { ...ofGenuine, root: 'none', note: genuine.note },
      { ...ofGenuine, size: 11, note: genuine.note },
      { ...ofGenuine, root: root(6).toString('base64'), note: genuine.note },
      { ...ofGenuine, reason: 'another', note: genuine.note },
      { ...ofGenuine, origin: `${ORIGIN}/2`, note: genuine.note },
      { ...ofGenuine, key: members.replaced, note: genuine.note },
      { note: genuine.note },
    ];
    for (const [at, data] of forged.entries()) {
      await forge(store, data);
      expect(await known(first), canonicalJson(data)).to.deep.equal({
        ...{ origin: ORIGIN, inForce: first.verifier.id, keys: [[ORIGIN, first.verifier.id, undefined]] },
        ...{ changes: 0, restarts: 0, unsigned: forged.slice(0, at + 1).map((_, revision) => BigInt(revision)) },
      });
    }
    await forge(store, { ...ofGenuine, note: genuine.note });
    expect((await known(first)).inForce).to.equal(second.verifier.id);
  });

  it('are not brought in by who found out one that was replaced', async () => {
    await change(store, first, second, 10);
    await change(store, first, stranger, 12);
    await change(store, stranger, third, 12);
    const expected = { inForce: second.verifier.id, changes: 1, unsigned: [1n, 2n] };
    for (const by of [first, second]) expect(await known(by)).to.deep.include(expected);
  });

  it('are not put behind another one by who found out one that was replaced', async () => {
    await change(store, first, second, 10);
    await change(store, stranger, first, 12);
    const expected = { inForce: second.verifier.id, changes: 1, unsigned: [1n] };
    for (const by of [first, second]) expect(await known(by)).to.deep.include(expected);
  });

  it('do not come back by a restart that leads to the origin of one that was replaced', async () => {
    await change(store, first, second, 10);
    const restart = { origin: ORIGIN, replaced: 'example.com/made-up', ...because };
    right(await recordRestart(systemRuntime, store, restart, first, eventKey));
    for (const by of [first, second])
      expect(await known(by)).to.include({ origin: ORIGIN, inForce: second.verifier.id, changes: 1, restarts: 0 });
  });

  it('do not come back', async () => {
    await change(store, first, second, 10);
    await change(store, second, first, 20);
    expect(await known(second)).to.deep.include({ inForce: second.verifier.id, changes: 1, unsigned: [1n] });
  });

  it('are known with all that they signed while they were in force, and nothing beyond', async () => {
    await change(store, first, second, 10);
    const find = keysOf(await findSealHistory(store, second.verifier));
    const opened = (by: Signer, size: number, of = root()) =>
      openKnown(Buffer.from(right(signCheckpoint({ size, root: of }, by))), find(ORIGIN));
    for (const [by, size] of [
      [first, 9],
      [first, 10],
      [second, 10],
      [second, 12],
    ] as const)
      expect(right(opened(by, size)).size).to.equal(size);
    const why = 'its key was replaced after 10 events, and it is not of the log of these';
    expect([opened(first, 11), opened(first, 10, root(6))]).to.deep.equal([E.left(why), E.left(why)]);
    expect(E.isLeft(opened(stranger, 5))).to.equal(true);
    // of an origin that the log does not know, as that of a copy
    const ofCopy = key(1, `${ORIGIN}/copy`);
    const note = right(signCheckpoint({ size: 99, root: root() }, ofCopy));
    expect(right(openKnown(Buffer.from(note), find(`${ORIGIN}/copy`))).size).to.equal(99);
  });

  it('are told to auditors by notes that both have signed, with an empty line between them', async () => {
    const changes = [await change(store, first, second, 10), await change(store, second, third, 20)];
    const text = renderKeyChanges(changes);
    expect(text.split('\n')).to.have.length(22);
    expect(text.split('\n').slice(0, 8)).to.deep.equal([
      ORIGIN,
      'checkpoint key replaced',
      renderVerifier(first.verifier),
      renderVerifier(second.verifier),
      '10',
      root().toString('base64'),
      '{"actor":"olga","at":"2026-01-01T00:00:00.000Z","reason":"yearly"}',
      '',
    ]);
    expect((await findSealHistory(store, third.verifier)).keyChanges.map(({ note }) => note)).to.deep.equal(
      changes.map(({ note }) => note),
    );
  });

  describe('when one replaces another', () => {
    const replace = (
      tree: ReturnType<typeof makeMemoryTree>,
      ...signers: readonly [Signer, ...ReadonlyArray<Signer>]
    ) =>
      replaceKey(tree.lockTree, store, {
        runtime: systemRuntime,
        signers,
        because,
        findLargest: () => Promise.resolve(undefined),
        eventKey,
      });

    const sign = (tree: ReturnType<typeof makeMemoryTree>, ...signers: readonly [Signer, ...ReadonlyArray<Signer>]) =>
      signTree(tree.lockTree, async () => orThrow(await sealInForce(signers, store)), {
        origin: ORIGIN,
        largest: undefined,
      });

    const signedTree = async () => {
      const tree = makeMemoryTree();
      tree.state.leaves = ['one', 'two', 'three'];
      right(await sign(tree, first));
      return tree;
    };

    const why = (failure: E.Either<NotReplaced, KeyChange> | undefined): string | undefined => {
      if (failure === undefined || E.isRight(failure)) return undefined;
      return failure.left._tag === 'NoKeys' ? failure.left.reason : failure.left._tag;
    };

    it('ends the one with its last checkpoint, and lets the other sign from there', async () => {
      const tree = await signedTree();
      const { last } = right((await replace(tree, first, second))!);
      expect([last.size, last.root.toString('hex')]).to.deep.equal([3, tree.rootOf(tree.state.leaves).toString('hex')]);
      tree.state.leaves = [...tree.state.leaves, 'four'];
      expect(right(await sign(tree, second))?.size).to.equal(4);
      tree.state.leaves = [...tree.state.leaves, 'five'];
      expect(right(await sign(tree, first, second))?.size).to.equal(5);
      expect((await wholeLog(store)).map(({ type }) => type)).to.deep.equal(['CheckpointKeyReplaced']);
    });

    it('ends the one with the largest of its checkpoints, wherever that is kept', async () => {
      const [small, large] = [await signedTree(), await signedTree()];
      large.state.leaves = [...large.state.leaves, 'four'];
      right(await sign(large, first));
      for (const [tree, elsewhere] of [
        [small, large.state.recorded.at(-1)],
        [large, small.state.recorded.at(-1)],
      ] as const) {
        store = makeInMemoryEventStore();
        small.state.leaves = large.state.leaves;
        const replaced = await replaceKey(tree.lockTree, store, {
          runtime: systemRuntime,
          signers: [first, second],
          because,
          findLargest: () => Promise.resolve(elsewhere),
          eventKey,
        });
        expect(right(replaced!).last.size).to.equal(4);
      }
    });

    it('is refused, and nothing recorded, without one new key, or without anything signed', async () => {
      const tree = await signedTree();
      const none = `CHECKPOINT_KEY has no key that could replace the one in force: put a new one (ops log new-key ${ORIGIN}) on a line behind it`;
      expect(why(await replace(tree, first))).to.equal(none);
      expect(why(await replace(tree, first, second, third))).to.equal(
        'CHECKPOINT_KEY has several keys that were never in force: leave one of them there',
      );
      expect(why(await replace(makeMemoryTree(), first, second))).to.equal(
        `nothing was signed as ${ORIGIN} yet: let CHECKPOINT_KEY have the new key alone`,
      );
      expect(await wholeLog(store)).to.deep.equal([]);
      right((await replace(tree, first, second))!);
      expect(why(await replace(tree, first, second))).to.equal(none);
      expect(why(await replace(tree, first))).to.contain('does not have the one that signs now');
    });

    it('is refused where the tree does not extend what was signed, or another key signed it', async () => {
      const tree = await signedTree();
      expect(why(await replace(tree, third, second))).to.equal('Fault');
      tree.state.leaves = ['one', 'two'];
      expect(why(await replace(tree, first, second))).to.equal('Fault');
      expect(await wholeLog(store)).to.deep.equal([]);
    });

    it('stops a process that knew of the other one before, in the midst of its signing', async () => {
      const tree = await signedTree();
      tree.state.leaves = [...tree.state.leaves, 'four'];
      const seal = right(await sealInForce([first], store));
      right((await replace(tree, first, second))!);
      expect(seal.signer.verifier.id).to.equal(first.verifier.id);
      let thrown: unknown;
      await sign(tree, first).catch((error: unknown) => (thrown = error));
      expect(String(thrown)).to.contain('does not have the one that signs now');
      expect(tree.state.recorded.map(({ size }) => size)).to.deep.equal([3]);
    });
  });
});
