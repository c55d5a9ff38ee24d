import { orThrow } from '../../../src/event-sourcing/attempt.js';
import { CheckpointNotInLog } from '../../../src/event-sourcing/event-store.js';
import { makeRetry } from '../../../src/event-sourcing/retry.js';
import { failureIn, isTransient, type WrongLog } from '../engine-failure.js';
import { liveOf } from '../generation/generation.js';
import { newHolder } from '../generation/lease.js';
import { openForService } from '../generation/open-generation.js';
import { otherPast, requireSameLog } from '../generation/provenance.js';
import { type EngineDeps, runProjector, type RunStatus } from './projector-run.js';

const COMPETE_MS = 1_000;
const WRONG_LOG_MS = 2_000;
const RETRY = { first: 200, longest: 2_000 };
/** How long a run must go well after an interruption until that is reported. */
const STABLE_MS = 1_000;

/** What this process is doing for one projection. */
export type ProjectorStatus =
  | { readonly _tag: 'Starting' }
  | { readonly _tag: 'StandingBy' }
  | ({ readonly _tag: 'Projecting'; readonly generation: string } & RunStatus)
  | { readonly _tag: 'Interrupted' }
  | { readonly _tag: 'WrongLog'; readonly wrongLog: WrongLog }
  | { readonly _tag: 'Stopped' };

type Projector = { readonly status: () => ProjectorStatus; readonly stopped: Promise<void> };

const wrongLogIn = (projection: string, error: unknown): WrongLog | undefined =>
  error instanceof CheckpointNotInLog
    ? otherPast(projection, `position ${String(error.checkpoint.commit)}`)
    : failureIn(error, 'WrongLog');

/**
 * Keeps one projection up to date: opens its generation, tries to acquire its lease, and projects while it holds it.
 * When database or log are away, or the rows are of another log, it tries again for ever. Reports each change once.
 */
export const startProjector = (
  deps: EngineDeps & { readonly isSoleProcess: boolean },
  signal: AbortSignal,
): Projector => {
  const { runtime, storage, store, projection, progress, onEvent, isSoleProcess } = deps;
  const { clock, random } = runtime;
  const { name } = projection;
  const holder = newHolder(random);
  let status: () => ProjectorStatus = () => ({ _tag: 'Starting' });
  let opened: string | undefined;
  const retry = makeRetry({ runtime, ...RETRY, signal });
  let isInterrupted = false;
  /** The fault that was reported last, until a run goes well. */
  let fault: string | undefined;

  const open = async (): Promise<string> => {
    const identity = orThrow(await store.identity());
    await storage.migrate();
    const generation = await openForService(storage, projection, identity);
    await requireSameLog(store, name, generation);
    return generation.name;
  };

  const standBy = async (): Promise<void> => {
    if (status()._tag !== 'StandingBy') onEvent({ _tag: 'StandingBy', projection: name });
    status = () => ({ _tag: 'StandingBy' });
    progress.resume();
    await clock.sleep(COMPETE_MS, signal);
  };

  const project = async (): Promise<void> => {
    opened ??= await open();
    const lease = await storage.acquire(opened, holder, isSoleProcess);
    // read only after acquiring the lease, so that the checkpoint is current
    const generations = await storage.generations(name);
    const generation = generations.find((each) => each.name === opened);
    // while others had the lease, rows of this version may have taken the place of these: those are to be written now
    const isReplaced = generation?.role === 'previous' && liveOf(generations)?.version === generation.version;
    if (generation === undefined || isReplaced) {
      opened = undefined;
      if (lease !== undefined) await storage.release(lease);
      return;
    }
    if (lease === undefined) return standBy();
    const announce = (): void => {
      retry.reset();
      isInterrupted = false;
      fault = undefined;
      onEvent({ _tag: 'Projecting', projection: name, generation: generation.name, role: generation.role });
    };
    const cancel = clock.after(isInterrupted ? STABLE_MS : 0, announce);
    try {
      await runProjector(deps, generation, lease, signal, (runStatus) => {
        status = () => ({ _tag: 'Projecting', generation: generation.name, ...runStatus() });
        progress.resume();
      });
    } catch (error) {
      // rows of another log are given up: `rebuild --from-scratch` replaces them beside this process
      if (wrongLogIn(name, error) !== undefined) await storage.release(lease);
      if (failureIn(error, 'Replaced') === undefined) throw error;
      opened = undefined;
      onEvent({ _tag: 'Replaced', projection: name, generation: generation.name });
      await storage.release(lease);
    } finally {
      cancel();
      if (signal.aborted) await storage.release(lease);
    }
  };

  /** Called repeatedly until an operator has connected the right log, or rebuilt the rows from this one. */
  const waitForSameLog = async (wrongLog: WrongLog): Promise<void> => {
    const before = status();
    opened = undefined;
    status = () => ({ _tag: 'WrongLog', wrongLog });
    if (before._tag !== 'WrongLog' || before.wrongLog.message !== wrongLog.message)
      onEvent({ _tag: 'WrongLog', projection: name, wrongLog });
    progress.suspend();
    await clock.sleep(WRONG_LOG_MS, signal);
  };

  const interrupt = async (cause: unknown): Promise<void> => {
    opened = undefined;
    if (!isTransient(cause) && String(cause) !== fault) {
      fault = String(cause);
      onEvent({ _tag: 'Fault', projection: name, task: 'projecting', cause });
    }
    const isLeaseLost = failureIn(cause, 'LeaseLost') !== undefined;
    if (isLeaseLost) onEvent({ _tag: 'LeaseLost', projection: name });
    // the first retry often succeeds, so writes stop waiting for their rows only at the second failure
    else if (isInterrupted) progress.suspend();
    else onEvent({ _tag: 'Interrupted', projection: name, cause });
    isInterrupted ||= !isLeaseLost;
    status = () => ({ _tag: 'Interrupted' });
    await retry.again();
  };

  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        await project();
      } catch (cause) {
        const wrongLog = wrongLogIn(name, cause);
        await (wrongLog === undefined ? interrupt(cause) : waitForSameLog(wrongLog));
      }
    }
    status = () => ({ _tag: 'Stopped' });
  };

  return { status: () => status(), stopped: run() };
};
