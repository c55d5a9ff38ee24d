import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { CheckpointNotInLog, StoreUnavailable } from '../../../src/event-sourcing/event-store.js';
import { exportLog, NotExportable, type Selection } from '../../../src/event-sourcing/whole-log/export-log.js';
import { checkExport, importLog } from '../../../src/event-sourcing/whole-log/import-log.js';
import type { LogTarget } from '../../../src/event-sourcing/whole-log/log-target.js';
import { makeInMemoryEventStore } from '../../support/in-memory-event-store.js';
import {
  appendChained,
  businessStream,
  interleaved,
  makeChains,
  wholeLog,
  withoutPositions,
} from '../../support/chained-events.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';

const everything: Selection = { _tag: 'Log', category: undefined, since: undefined };

const filled = async (): Promise<LogTarget> => {
  const store = makeInMemoryEventStore();
  await appendChained(store, makeChains(), ...interleaved(7, 100), 'document-d1', 'document-d1');
  return store;
};

const exported = async (store: LogTarget, selection: Selection = everything, withData = true): Promise<string> => {
  let text = '';
  for await (const page of exportLog(store, selection, withData)) text += page.text;
  return text;
};

/** In pieces that end inside lines and characters. */
// eslint-disable-next-line @typescript-eslint/require-await -- as a file comes
async function* inPieces(text: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += 1009) yield bytes.subarray(start, start + 1009);
}

const bringIn = (target: LogTarget, text: string, signal = new AbortController().signal) =>
  importLog(target, inPieces(text), { runtime: systemRuntime, onBatch: () => undefined, signal });

const failureOf = async (text: string): Promise<{ readonly message: unknown; readonly stored: number }> => {
  const target = makeInMemoryEventStore();
  const outcome = await bringIn(target, text);
  const message = E.isLeft(outcome) && outcome.left._tag === 'BrokenLine' ? outcome.left.message : outcome;
  return { message, stored: (await wholeLog(target)).length };
};

describe('exporting and importing a log', () => {
  let store: LogTarget;
  let text: string;
  let lines: Array<string>;

  before(async () => {
    store = await filled();
    text = await exported(store);
    lines = text.trimEnd().split('\n');
  });

  it('gives an empty log the same events, revisions and hashes in the same order', async () => {
    const target = makeInMemoryEventStore();
    const outcome = await bringIn(target, text);
    expect(outcome).to.deep.equal(E.right({ events: 702, streams: 8, isComplete: true }));
    expect(await wholeLog(target)).to.deep.equal(await wholeLog(store));
    expect(await exported(target)).to.equal(text);
  });

  it('selects a stream, a category, and what lies behind a position', async () => {
    const positions = async (selection: Selection): Promise<ReadonlyArray<string>> =>
      (await exported(store, selection))
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as { position: string }).position);
    expect(await positions({ _tag: 'Stream', stream: businessStream(2), since: 680n })).to.deep.equal([
      '682',
      '689',
      '696',
    ]);
    expect(await positions({ _tag: 'Log', category: 'document', since: undefined })).to.deep.equal(['701', '702']);
    expect(await positions({ _tag: 'Log', category: undefined, since: 700n })).to.deep.equal(['701', '702']);
  });

  it('refuses a position beyond the log, which may be of another log', async () => {
    expect(await exported(store, { ...everything, since: 702n })).to.equal('');
    for (const selection of [everything, { _tag: 'Stream', stream: businessStream(2) } as const]) {
      const failure = await exported(store, { ...selection, since: 703n }).catch((error: unknown) => error);
      expect(failure)
        .to.be.an.instanceOf(CheckpointNotInLog)
        .with.property('message', 'the log ends before position 703');
    }
  });

  it('refuses to export an event that has no line, and names it', async () => {
    const odd = makeInMemoryEventStore();
    const id = '00000000-0000-4000-8000-000000000001';
    await odd.append('business-1', 'no-stream', [{ id, type: 'Odd', data: '{\n}', metadata: '{}' }]);
    const failure = await exported(odd).catch((error: unknown) => error);
    expect(failure)
      .to.be.instanceOf(NotExportable)
      .with.property('message')
      .that.includes(`business-1, revision 0, event ${id}`);
  });

  it('imports nothing into a log that has events', async () => {
    const before = withoutPositions(await wholeLog(store));
    expect(await bringIn(store, text)).to.deep.equal(E.left({ _tag: 'NotEmpty', newest: 702n }));
    expect(withoutPositions(await wholeLog(store))).to.deep.equal(before);
  });

  it('names the line that was changed, and stores nothing from it on', async () => {
    const changed = lines.with(600, lines[600]!.replace('+1 555', '+1 556')).join('\n');
    const { message, stored } = await failureOf(`${changed}\n`);
    expect(message).to.match(/^line 601 breaks the chain of business-\S+: dataHash does not match data$/);
    expect(stored).to.equal(600);
  });

  it('finds a line that is missing, doubled or out of order', async () => {
    expect((await failureOf(lines.toSpliced(300, 1).join('\n'))).message).to.match(
      /^line 307 breaks the chain .* revision 43, expected 42/,
    );
    expect((await failureOf(lines.toSpliced(300, 0, lines[299]!).join('\n'))).message).to.equal(
      'line 301 has position 300, which does not follow 300',
    );
    expect((await failureOf(lines.toSpliced(300, 2, lines[301]!, lines[300]!).join('\n'))).message).to.equal(
      'line 302 has position 301, which does not follow 302',
    );
  });

  it('notices a last line that is cut short, and takes one that only lacks its line break', async () => {
    expect(await failureOf(text.slice(0, -40))).to.deep.equal({
      message: 'line 702 is cut short: the export does not end with a whole line',
      stored: 701,
    });
    const target = makeInMemoryEventStore();
    expect(E.isRight(await bringIn(target, text.trimEnd()))).to.equal(true);
    expect(await wholeLog(target)).to.have.length(702);
  });

  it('refuses lines without data, bytes that are no UTF-8 and lines without end', async () => {
    expect((await failureOf(await exported(store, everything, false))).message).to.include('line 1 has no data');
    const endless = await failureOf(`${lines[0]!}\n${'x'.repeat(5_000_000)}`);
    expect(endless).to.deep.equal({ message: 'line 2 is longer than 4194304 bytes', stored: 1 });
    const latin = (async function* () {
      yield* inPieces(`${lines[0]!}\n`);
      yield Buffer.from([0xe4, 10]);
    })();
    const outcome = await checkExport(latin, {
      random: systemRuntime.random,
      onBatch: () => undefined,
      signal: new AbortController().signal,
    });
    expect(E.isLeft(outcome) && outcome.left.message).to.equal('line 2 is not UTF-8');
  });

  it('ends when it is told to, with the beginning of the log stored', async () => {
    const target = makeInMemoryEventStore();
    const interrupted = new AbortController();
    const onBatch = (): void => interrupted.abort();
    const outcome = await importLog(target, inPieces(text), {
      runtime: systemRuntime,
      onBatch,
      signal: interrupted.signal,
    });
    const stored = await wholeLog(target);
    expect(stored.length).to.be.within(1, 701);
    expect(outcome).to.deep.equal(E.right({ events: stored.length, streams: 7, isComplete: false }));
    expect(stored).to.deep.equal((await wholeLog(store)).slice(0, stored.length));
  });

  it('waits for a target that is away for a moment', async () => {
    const target = makeInMemoryEventStore();
    let away = 1;
    const shaky: LogTarget = {
      ...target,
      appendInOrder: (appends) =>
        away-- > 0 ? Promise.resolve(E.left(new StoreUnavailable('away'))) : target.appendInOrder(appends),
    };
    expect(E.isRight(await bringIn(shaky, text))).to.equal(true);
    expect(await exported(target)).to.equal(text);
  });
});
