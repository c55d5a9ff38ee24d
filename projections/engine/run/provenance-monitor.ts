import type { OnEngineEvent } from '../engine-event.js';
import type { WrongLog } from '../engine-failure.js';
import { type Generation, liveOf } from '../generation/generation.js';
import { eventsLost, EXAMINE_MS, type RecognisableLog, wrongLogOf } from '../generation/provenance.js';
import { type Clock, repeat } from '../../../src/event-sourcing/clock.js';
import { makeTaskRunner } from '../run-task.js';
import type { ReadModelStorage } from '../storage.js';

const POLL_MS = 1_000;

/** Whether the live rows of a read model are of the log that this process works on. */
type ProvenanceMonitor = {
  /** Whether they were examined at least once, successfully or not. */
  readonly isExamined: () => boolean;
  /** False as long as it is not known. */
  readonly isSameLog: () => boolean;
  /** Why they are not; undefined when they are, and as long as it is not known. */
  readonly wrongLog: () => WrongLog | undefined;
  /** The same of this generation; undefined also when another one was examined. */
  readonly wrongLogOf: (generation: string) => WrongLog | undefined;
  /** The log has lost events: the rows count as of another log until they have been examined again. */
  readonly examineAgain: () => void;
  readonly stopped: Promise<void>;
};

type Options = {
  readonly clock: Clock;
  readonly storage: Pick<ReadModelStorage, 'generations'>;
  readonly store: RecognisableLog;
  readonly projection: string;
  readonly onEvent: OnEngineEvent;
};

/**
 * Examines the live rows at once, whenever another generation becomes live, and every ten seconds. While log or
 * database are away, the last result stands. Calls `onChange` with each new result.
 */
export const monitorProvenance = (
  { clock, storage, store, projection, onEvent }: Options,
  onChange: (wrongLog: WrongLog | undefined) => void,
  signal: AbortSignal,
): ProvenanceMonitor => {
  let isExamined = false;
  let same: { readonly generation: string; readonly at: number } | undefined;
  let wrongLog: WrongLog | undefined;
  let examined: string | undefined;
  let resets = 0;
  const runTask = makeTaskRunner({ projection, name: 'examining the provenance of the rows', onEvent });

  const isKnown = ({ name }: Generation): boolean =>
    same?.generation === name && clock.monotonic() - same.at < EXAMINE_MS;

  const set = (found: WrongLog | undefined): void => {
    if (found?.message === wrongLog?.message) return;
    wrongLog = found;
    onChange(found);
  };

  const examine = async (): Promise<void> => {
    const began = resets;
    const live = liveOf(await storage.generations(projection));
    if (live !== undefined && isKnown(live)) return;
    const found = live && (await wrongLogOf(store, projection, live));
    // what it has read may be from before the log was put back
    if (began !== resets) return;
    examined = live?.name;
    same = live && found === undefined ? { generation: live.name, at: clock.monotonic() } : undefined;
    set(found);
  };

  const stopped = repeat(clock, POLL_MS, signal, async () => {
    await runTask(examine);
    isExamined = true;
  });

  return {
    isExamined: () => isExamined,
    isSameLog: () => same !== undefined,
    wrongLog: () => wrongLog,
    wrongLogOf: (generation) => (generation === examined ? wrongLog : undefined),
    examineAgain: () => {
      resets += 1;
      [same, examined] = [undefined, undefined];
      set(eventsLost(projection));
    },
    stopped,
  };
};
