import { SILENCE_MS } from '../../event-sourcing/answer-deadline.js';
import type { Clock } from '../../event-sourcing/clock.js';
import { withTimeout } from '../../event-sourcing/with-timeout.js';
import type { AccessRecord, Read } from './access-record.js';
import type { AccessEvent, ReadWriter } from './read-writer.js';

/** Rows of one statement. */
const BATCH = 200;

/** Answers that may wait for their rows; further ones are refused at once. */
const WAITING = 10_000;

/** What is left for a row at least, ms: an answer may be due when a long history or a slow file is ready. */
const SHORTEST = 200;

type Waiting = {
  readonly read: Read;
  /** Nobody waits for it any more. */
  isGivenUp: boolean;
  readonly settle: (isRecorded: boolean) => void;
};

/**
 * Writes each read before its answer: a batch is what has come while the one before it was under way. A read is not recorded
 * where the database does not take it, or is silent for `SILENCE_MS` or until the answer is due; where that is not known, a row
 * may be there of a read that was not answered. None that was answered is without its row.
 */
export const makeAwaitedReads = (
  clock: Clock,
  { add }: Pick<AccessRecord, 'add'>,
  onEvent: (event: AccessEvent) => void,
): ReadWriter => {
  let waiting: Array<Waiting> = [];
  let isFailing = false;
  let isStopping = false;
  let running: Promise<void> | undefined;

  const writeBatch = async (batch: ReadonlyArray<Waiting>): Promise<boolean> => {
    try {
      await add(batch.map(({ read }) => read));
    } catch (cause) {
      isFailing = true;
      onEvent({ _tag: 'NotWritten', cause });
      return false;
    }
    if (isFailing) onEvent({ _tag: 'WrittenAgain' });
    isFailing = false;
    return true;
  };

  const run = async (): Promise<void> => {
    while (waiting.length > 0) {
      await new Promise<void>((resolve) => clock.soon(resolve));
      const batch = waiting.slice(0, BATCH).filter(({ isGivenUp }) => !isGivenUp);
      waiting = waiting.slice(BATCH);
      const isRecorded = batch.length === 0 || (await writeBatch(batch));
      for (const { settle } of batch) settle(isRecorded);
      if (isRecorded) continue;
      // when the database does not answer, those that wait would only wait as long again
      for (const { settle } of waiting) settle(false);
      waiting = [];
    }
    running = undefined;
  };

  const write = async (read: Read, until: number): Promise<boolean> => {
    if (isStopping || waiting.length >= WAITING) return false;
    let settle: Waiting['settle'] = () => undefined;
    const settled = new Promise<boolean>((resolve) => (settle = resolve));
    const own: Waiting = { read, isGivenUp: false, settle };
    waiting.push(own);
    running ??= run();
    const left = Math.max(SHORTEST, until - clock.monotonic());
    const isRecorded = await withTimeout(clock, Math.min(SILENCE_MS, left), settled);
    own.isGivenUp = isRecorded === undefined;
    return isRecorded === true;
  };

  return {
    write,
    lost: () => 0,
    isFailing: () => isFailing,
    stop: async () => {
      isStopping = true;
      await running;
    },
  };
};
