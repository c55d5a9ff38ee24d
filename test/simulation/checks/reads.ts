import type { Command, History } from './commands.js';
import type { State } from './states.js';

/** What a client has seen of a record. */
export type Read = {
  readonly record: string;
  /** Where, for people. */
  readonly where: string;
  readonly process: object;
  readonly began: number;
  readonly ended: number;
  /** `List`: it may lack what was answered as not projected. `Old`: it has said that it may lack what came last. */
  readonly of: 'Log' | 'Record' | 'List' | 'Old';
  /** What was seen, for people. */
  readonly seen: string;
  /** Whether a record that had this state last looks so. */
  readonly fits: (state: State, states: ReadonlyArray<State>) => boolean;
};

/** For how long what was shown before it was answered may not be shown elsewhere, ms. */
const SHOWN_EVERYWHERE_MS = 3_000;

/** By another process, or in another way. */
const isElsewhere = (earlier: Read, { process, of }: Read): boolean => earlier.process !== process || earlier.of !== of;

const isBefore = (earlier: Read, read: Read): boolean =>
  earlier.ended + (isElsewhere(earlier, read) ? SHOWN_EVERYWHERE_MS : 0) < read.began;

const isOfNow = ({ of }: Read): boolean => of === 'Log' || of === 'Record';

/**
 * Holds what clients have seen of a record to its history: each read shows a state that is not older than any change that was
 * acknowledged before it began, nor than what an earlier one has shown, and has nothing that was asked for after it ended.
 */
export const readFaults = (
  { record, events, states, erasures, versionsIn }: History,
  reads: ReadonlyArray<Read>,
  commands: ReadonlyMap<string, Command>,
): ReadonlyArray<string> => {
  const asked = events.map(({ reason = '' }) => commands.get(reason));
  /** Indexes of the state that a read has shown, by read. */
  const shown: Array<{ readonly read: Read; readonly place: number }> = [];
  const faults: Array<string> = [];
  for (const read of reads.toSorted((one, other) => one.ended - other.ended)) {
    const known = asked.flatMap((command, revision) =>
      command?.outcome === 'Done' &&
      command.ended < read.began &&
      (isOfNow(read) || (read.of === 'List' && command.isProjected === true))
        ? revision + 1
        : [],
    );
    const before = shown.flatMap((one) =>
      read.of !== 'Old' && (isOfNow(read) || !isOfNow(one.read)) && isBefore(one.read, read) ? one.place : [],
    );
    const erased = erasures.flatMap(({ at, ended }) => (ended < read.began && read.of !== 'Old' ? at + 1 : []));
    const oldest = Math.max(0, ...known, ...before, ...erased);
    const future = asked.findIndex((command) => command !== undefined && command.began > read.ended);
    const yetToErase = erasures.flatMap(({ at, began }) => (began > read.ended ? at : []));
    const newest = Math.min(future < 0 ? states.length - 1 : future, ...yetToErase);
    const places = versionsIn(read).map((version) =>
      version.findIndex(
        (state, index) => index >= oldest && index <= newest && read.fits(state, version.slice(0, newest + 1)),
      ),
    );
    const place = Math.min(...places.filter((found) => found >= 0));
    if (place === Infinity)
      faults.push(
        `${read.where} from ${read.began.toFixed(3)} to ${read.ended.toFixed(3)} shows ${record} as ${read.seen}, ` +
          `and not as a revision from ${oldest - 1} to ${newest - 1}`,
      );
    else shown.push({ read, place });
  }
  return faults;
};
