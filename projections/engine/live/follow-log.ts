import { either as E } from 'fp-ts';
import { CheckpointNotInLog } from '../../../src/event-sourcing/event-store.js';
import type { DomainEvent } from '../../../src/event-sourcing/serde.js';
import { pause } from '../../../src/event-sourcing/pause.js';
import { readInstance, register } from '../instance/instance.js';
import { acquireLease, Deposed, newHolder, releaseLease } from '../instance/lease.js';
import { refuseOtherOrigin } from '../instance/origin.js';
import { ProjectionRefused } from '../instance/projection-refused.js';
import { migrate } from '../schema.js';
import { type EngineDeps, holdTenure, Replaced, type Standing } from './tenure.js';

const COMPETE_MS = 1_000;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 2_000;
/** After an interruption: how long it must go well before that is news. */
const SETTLED_MS = 1_000;

/** What the process does for one projection. */
export type Activity =
  | { readonly _tag: 'Starting' }
  | { readonly _tag: 'StandingBy' }
  | ({ readonly _tag: 'Projecting'; readonly instance: string } & Standing)
  | { readonly _tag: 'Interrupted' }
  | { readonly _tag: 'Refused'; readonly error: ProjectionRefused }
  | { readonly _tag: 'Stopped' };

export type Follower = { readonly activity: () => Activity; readonly stopped: Promise<void> };

const asRefused = (name: string, error: unknown): ProjectionRefused | undefined => {
  if (error instanceof ProjectionRefused) return error;
  if (!(error instanceof CheckpointNotInLog)) return undefined;
  return ProjectionRefused.notInLog(name, `position ${String(error.checkpoint.commit)}`);
};

/**
 * Keeps one projection up to date: registers its instance, competes for the lease, projects while it holds it.
 * Database and log may come and go, and rows of another log be replaced: it tries again for ever, and says so once per
 * change.
 */
export const followLog = <State, Event extends DomainEvent>(
  deps: EngineDeps<State, Event> & { readonly isSoleProcess: boolean },
  signal: AbortSignal,
): Follower => {
  const { pool, store, projection, progress, onNotice, isSoleProcess } = deps;
  const { name } = projection;
  const holder = newHolder();
  let activity: () => Activity = () => ({ _tag: 'Starting' });
  let registered: string | undefined;
  let retryMs = FIRST_RETRY_MS;
  let isInterrupted = false;

  const prepare = async (): Promise<string> => {
    const identity = await store.identity();
    if (E.isLeft(identity)) throw identity.left;
    await migrate(pool);
    const instance = await register(pool, projection, identity.right);
    await refuseOtherOrigin(store, name, instance);
    return instance.name;
  };

  const standBy = async (): Promise<void> => {
    if (activity()._tag !== 'StandingBy') onNotice({ _tag: 'StandingBy', projection: name });
    activity = () => ({ _tag: 'StandingBy' });
    progress.resume();
    await pause(COMPETE_MS, signal);
  };

  const attempt = async (): Promise<void> => {
    registered ??= await prepare();
    const lease = await acquireLease(pool, registered, holder, isSoleProcess);
    // read after the lease was won: where the last holder left it
    const instance = await readInstance(pool, registered);
    if (instance === undefined) {
      registered = undefined;
      return;
    }
    if (lease === undefined) return standBy();
    const announce = (): void => {
      retryMs = FIRST_RETRY_MS;
      isInterrupted = false;
      onNotice({ _tag: 'Projecting', projection: name, instance: instance.name, role: instance.role });
    };
    const settled = setTimeout(announce, isInterrupted ? SETTLED_MS : 0);
    try {
      await holdTenure(deps, instance, lease, signal, (standing) => {
        activity = () => ({ _tag: 'Projecting', instance: instance.name, ...standing() });
        progress.resume();
      });
    } catch (error) {
      if (!(error instanceof Replaced)) throw error;
      registered = undefined;
      onNotice({ _tag: 'Replaced', projection: name, instance: instance.name });
      await releaseLease(pool, lease);
    } finally {
      clearTimeout(settled);
      if (signal.aborted) await releaseLease(pool, lease).catch(() => undefined);
    }
  };

  /** Until somebody has connected the right log, or made rows of this one. */
  const refuse = async (error: ProjectionRefused): Promise<void> => {
    const before = activity();
    registered = undefined;
    activity = () => ({ _tag: 'Refused', error });
    if (before._tag !== 'Refused' || before.error.message !== error.message)
      onNotice({ _tag: 'Refused', projection: name, error });
    progress.interrupt();
    await pause(LAST_RETRY_MS, signal);
  };

  const interrupt = async (cause: unknown): Promise<void> => {
    registered = undefined;
    if (cause instanceof Deposed) onNotice({ _tag: 'Deposed', projection: name });
    // a connection that was lost once is often back with the next attempt: who waits is told by the second failure
    else if (isInterrupted) progress.interrupt();
    else onNotice({ _tag: 'Interrupted', projection: name, cause });
    isInterrupted ||= !(cause instanceof Deposed);
    activity = () => ({ _tag: 'Interrupted' });
    await pause(retryMs, signal);
    retryMs = Math.min(LAST_RETRY_MS, retryMs * 2);
  };

  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        await attempt();
      } catch (cause) {
        const error = asRefused(name, cause);
        await (error === undefined ? interrupt(cause) : refuse(error));
      }
    }
    activity = () => ({ _tag: 'Stopped' });
  };

  return { activity: () => activity(), stopped: run() };
};
