import { expect } from 'chai';
import { either as E } from 'fp-ts';
import type { StreamName } from '../../src/event-sourcing/recorded-event.js';
import { restorable } from '../support/restorable-log.js';
import { aNotebook, aProcess, chainOf, close, handled, notesOf, open, take } from '../support/command-handler.js';

describe('a process whose log is restored from a backup under it', () => {
  const { store, restore } = restorable();
  let stream: StreamName;
  let handle: ReturnType<typeof aProcess>;

  // it knows one note more than the log holds
  beforeEach(async () => {
    stream = aNotebook();
    handle = aProcess(store);
    await handle(stream, open);
    await handle(stream, take('kept'));
    const backup = await chainOf(store, stream);
    await handle(stream, take('lost'), { key: 'k1' });
    await restore(backup);
  });

  it('appends after what is there', async () => {
    expect((await handled(handle(stream, take('new')))).revision).to.equal(2n);
    expect(await notesOf(store, stream)).to.deep.equal(['kept', 'new']);
  });

  it('does again what was lost, though it remembers to have done it', async () => {
    expect((await handled(handle(stream, take('lost')))).after.notes).to.deep.equal(['kept', 'lost']);
  });

  it('does again what was lost under an idempotency key', async () => {
    expect((await handled(handle(stream, take('lost'), { key: 'k1' }))).replayed).to.equal(false);
    expect(await notesOf(store, stream)).to.deep.equal(['kept', 'lost']);
  });

  it('refuses by what is there, not by what it remembers', async () => {
    await restore([]);
    expect(await handle(stream, open)).to.have.nested.property('right.revision', 0n);
    expect(await handle(stream, close)).to.deep.equal(E.left({ _tag: 'Empty' }));
  });

  it('sees that the log has gone another way up to the same revision', async () => {
    await aProcess(store)(stream, take('other'));
    expect((await handled(handle(stream, take('lost')))).after.notes).to.deep.equal(['kept', 'other', 'lost']);
  });
});
