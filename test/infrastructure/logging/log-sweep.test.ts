import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { StoreUnavailable } from '../../../src/event-sourcing/event-store.js';
import { makeLogger } from '../../../src/infrastructure/logging/logger.js';
import { logSweepFault, logSwept } from '../../../src/infrastructure/logging/log-sweep.js';
import { stored } from '../../support/recorded.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';

describe('the sweep in the log', () => {
  const linesOf = (write: (log: ReturnType<typeof makeLogger>) => void): ReadonlyArray<unknown> => {
    let written = '';
    write(makeLogger(systemRuntime.clock, 'info', false, { write: (text) => void (written += text) }));
    return written
      .trimEnd()
      .split('\n')
      .map((line) => {
        // reason: the log writes one JSON object a line
        const { time: _time, ...fields } = JSON.parse(line) as Record<string, unknown>;
        return fields;
      });
  };

  const unavailable = { _tag: 'StorageUnavailable', cause: new Error('no connection') } as const;

  it('logs ids and reasons of what it could not do', () => {
    const event = stored({ type: 'Unknown', data: {} });
    const lines = linesOf((log) => {
      const logIt = logSweepFault(log);
      const failure = { _tag: 'UndecodableEvent', stored: event, reason: 'a type unknown here' } as const;
      logIt({ _tag: 'NotChecked', documentId: 'd1', failure });
      logIt({ _tag: 'NotRemoved', key: 'documents/d1/f1', failure: unavailable });
      logIt({ _tag: 'UnfinishedNotCleared', failure: unavailable });
    });
    expect(lines).to.deep.equal([
      {
        level: 40,
        document: 'd1',
        reason: 'a type unknown here',
        msg: 'sweep: files of a document could not be checked',
      },
      { level: 40, key: 'documents/d1/f1', reason: 'no connection', msg: 'sweep: a file could not be removed' },
      { level: 40, reason: 'no connection', msg: 'sweep: unfinished uploads could not be cleared' },
    ]);
  });

  it('logs what a sweep has done', () => {
    const swept = { examined: 3, removed: 1, unfinished: 0, faults: 0, isComplete: true };
    const lines = linesOf((log) => {
      const logIt = logSwept(log);
      logIt(E.right(swept));
      logIt(E.left({ _tag: 'StorageOfAnotherLog' }));
      logIt(E.left(new StoreUnavailable('the event store is down', new Error('no route'))));
    });
    expect(lines).to.deep.equal([
      { level: 30, ...swept, msg: 'sweep: done' },
      {
        level: 50,
        reason: 'the storage holds the files of another event log: nothing is removed there',
        msg: 'sweep: not done',
      },
      { level: 50, reason: 'no route', msg: 'sweep: not done' },
    ]);
  });

  it('logs where a fault of the program came from, and no value that came with it', () => {
    const cause = Object.assign(new Error('a bug'), { value: 'personal' });
    const lines = linesOf((log) => logSwept(log)(E.left({ _tag: 'Unexpected', cause })));
    expect(lines).to.deep.equal([{ level: 50, reason: 'a bug', stack: cause.stack, msg: 'sweep: not done' }]);
  });
});
