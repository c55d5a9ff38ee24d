import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { v7 as uuidv7 } from 'uuid';
import type { HistoryCut } from '../../../src/event-sourcing/command/shown-rows.js';
import { makeHandleCommand } from '../../../src/event-sourcing/command/handle-command.js';
import { type EventStore, StoreUnavailable } from '../../../src/event-sourcing/event-store.js';
import type { Revision } from '../../../src/event-sourcing/recorded-event.js';
import { aNotebook, aProcess, notesOf, open, take } from '../../support/command-handler.js';
import { makeInMemoryEventStore } from '../../support/in-memory-event-store.js';
import { type NotebookCommand, notebookDecider, notebookSerde } from '../../support/notebook.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';

describe('a command on an entity whose row shows more than its stream', () => {
  const stream = aNotebook();
  let store: EventStore;
  let shown: Revision | undefined;
  let cuts: Array<HistoryCut>;
  let lookups: number;
  /** Called when the row is read. */
  let onLookup: () => Promise<unknown>;

  beforeEach(async () => {
    store = makeInMemoryEventStore();
    [shown, cuts, lookups, onLookup] = [undefined, [], 0, () => Promise.resolve()];
    const other = aProcess(store);
    await other(stream, open);
    await other(stream, take('kept'));
  });

  const aNewProcess = () => {
    const rows = {
      revisionOf: async () => {
        lookups += 1;
        await onLookup();
        return shown;
      },
      onCut: (cut: HistoryCut) => void cuts.push(cut),
    };
    const handle = makeHandleCommand({
      decider: notebookDecider,
      serde: notebookSerde,
      store,
      runtime: systemRuntime,
      rows,
    });
    return (command: NotebookCommand, over: object = {}) =>
      handle({
        stream,
        command,
        envelope: { commandId: uuidv7(), actor: 'alice', correlationId: '1', request: JSON.stringify(command) },
        fresh: false,
        ...over,
      });
  };

  it('fails, whether it would append, change nothing or be rejected, and nothing is appended', async () => {
    shown = 2n;
    const handle = aNewProcess();
    const cut = { _tag: 'HistoryCut', stream, shown: 2n, newest: 1n };
    for (const command of [take('new'), take(), open]) expect(await handle(command)).to.deep.equal(E.left(cut));
    expect(cuts).to.deep.equal([cut, cut, cut]);
    expect(await notesOf(store, stream)).to.deep.equal(['kept']);
  });

  it('fails also when nothing is left of the stream', async () => {
    store = makeInMemoryEventStore();
    shown = 1n;
    expect(await aNewProcess()(take('new'))).to.deep.equal(
      E.left({ _tag: 'HistoryCut', stream, shown: 1n, newest: 'no-stream' }),
    );
  });

  it('fails also in a process that knows the entity, from the first read on', async () => {
    const handle = aNewProcess();
    await handle(take('known'));
    shown = 7n;
    const cut = E.left({ _tag: 'HistoryCut', stream, shown: 7n, newest: 2n });
    for (const command of [open, take('new')]) expect(await handle(command)).to.deep.equal(cut);
    expect(await notesOf(store, stream)).to.deep.equal(['kept', 'known']);
  });

  it('fails as the log does, when that cannot be asked once more', async () => {
    const away = new StoreUnavailable('away');
    store = { ...store, newestRevision: () => Promise.resolve(E.left(away)) };
    shown = 2n;
    expect(await aNewProcess()(take('new'))).to.deep.equal(E.left(away));
    expect(cuts).to.deep.equal([]);
  });

  it('asks the log once more only where the row shows more', async () => {
    store = { ...store, newestRevision: () => Promise.reject(new Error('it was asked')) };
    for (const atMost of [undefined, 0n, 1n]) {
      shown = atMost;
      expect(E.isRight(await aNewProcess()(take()))).to.equal(true);
    }
  });

  it('runs when the row only was read later than the stream', async () => {
    const other = aProcess(store);
    onLookup = async () => {
      onLookup = () => Promise.resolve();
      await other(stream, take('meanwhile'));
      shown = 2n;
    };
    expect(E.isRight(await aNewProcess()(take('new')))).to.equal(true);
    expect([await notesOf(store, stream), cuts]).to.deep.equal([['kept', 'meanwhile', 'new'], []]);
  });

  it('looks at the row once for a command, however often it reads', async () => {
    const { append } = store;
    let races = 2;
    store = {
      ...store,
      append: async (name, expected, events) => {
        if ((races -= 1) >= 0) await aProcess({ ...store, append })(stream, take(`faster ${races}`));
        return append(name, expected, events);
      },
    };
    expect(E.isRight(await aNewProcess()(take('new')))).to.equal(true);
    expect([await notesOf(store, stream), lookups]).to.deep.equal([['kept', 'faster 1', 'faster 0', 'new'], 1]);
  });

  it('looks at the row only beside a read of the stream', async () => {
    shown = 1n;
    const handle = aNewProcess();
    await handle(take('one'));
    await handle(take('two'));
    await handle(take('three'));
    expect(lookups).to.equal(1);
    await aNewProcess()(open, { stream: aNotebook(), fresh: true });
    expect(lookups).to.equal(1);
  });
});
