import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { cannotStart } from '../../../src/infrastructure/embedded/embedded-postgres-error.js';
import type { Server } from '../../../src/infrastructure/embedded/server/server-process.js';
import { supervise } from '../../../src/infrastructure/embedded/server/supervisor.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';
import { makeManualClock, type ManualClock } from '../../support/manual-clock.js';
import type { Runtime } from '../../../src/event-sourcing/runtime.js';

type Later<A> = { readonly promise: Promise<A>; readonly resolve: (value: A) => void };

const later = <A>(): Later<A> => {
  let resolveIt: (value: A) => void = () => undefined;
  const promise = new Promise<A>((resolve) => (resolveIt = resolve));
  return { promise, resolve: (value) => resolveIt(value) };
};

/** A server that does nothing but end. */
const aServer = (name: string, events: Array<string>): { readonly server: Server; readonly die: () => void } => {
  const { promise, resolve } = later<string>();
  const shutDown = (): Promise<void> => {
    events.push(`${name} is shut down`);
    resolve('exit code 0');
    return Promise.resolve();
  };
  return { server: { port: 1, ended: promise, shutDown }, die: () => resolve('killed by signal 9') };
};

const log = (events: Array<string>) => (line: string) => void events.push(line);

const HALF_OF_THE_FIRST_PAUSE = 100;

describe('the supervisor of a server', () => {
  let clock: ManualClock;
  let runtime: Runtime;

  beforeEach(() => {
    clock = makeManualClock();
    runtime = { clock, random: { ...systemRuntime.random, fraction: () => 0.5 } };
  });

  it('starts another one when it ends, and after a failure tries again', async () => {
    const events: Array<string> = [];
    const [first, second] = [aServer('the first', events), aServer('the second', events)];
    const attempts = [E.left(cannotStart('the disk is full')), E.right(second.server)];
    const restart = (): Promise<(typeof attempts)[number]> => {
      const attempt = attempts.shift() ?? E.left(cannotStart('asked too often'));
      return Promise.resolve(attempt);
    };
    const stop = supervise(first.server, { runtime, restart, onLog: log(events) });
    first.die();
    await clock.advance(HALF_OF_THE_FIRST_PAUSE - 1);
    expect(attempts).to.have.length(1);
    await clock.advance(1);
    expect(attempts).to.have.length(0);
    await stop();
    expect(events).to.deep.equal([
      'Postgres ended unexpectedly (killed by signal 9); starting it again',
      'Postgres cannot start: the disk is full.',
      'the second is shut down',
    ]);
  });

  it('stopped, starts nothing', async () => {
    const events: Array<string> = [];
    const first = aServer('the first', events);
    await supervise(first.server, {
      runtime,
      restart: () => Promise.reject(new Error('restarted')),
      onLog: log(events),
    })();
    expect(events).to.deep.equal(['the first is shut down']);
  });

  it('stopped in the middle of a restart, takes the new server down again', async () => {
    const events: Array<string> = [];
    const [first, second] = [aServer('the first', events), aServer('the second', events)];
    const asked = later<undefined>();
    const answer = later<E.Either<never, Server>>();
    const restart = (): Promise<E.Either<never, Server>> => {
      asked.resolve(undefined);
      return answer.promise;
    };
    const stop = supervise(first.server, { runtime, restart, onLog: log(events) });
    first.die();
    await asked.promise;
    const stopped = stop();
    answer.resolve(E.right(second.server));
    await stopped;
    expect(events.at(-1)).to.equal('the second is shut down');
  });
});
