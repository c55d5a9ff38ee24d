import { FAULT_KINDS, type FaultKind, type LogFault } from '../../event-sourcing/whole-log/log-fault.js';
import { type JsonOption, printFinding } from '../output.js';

/**
 * Faults of one kind that are named one by one. Chains and macs have no limit: each is of an event of its own. That of a mac
 * that is missing has one: a log that is older than its key has none at all at first.
 */
const NAMED = 10;

const LABELS: Readonly<Record<string, string>> = {
  chain: 'broken',
  mac: 'suspect',
  event: 'log',
  data: 'log',
  not: 'log',
  erasure: 'log',
  end: 'log',
  ledger: 'ledger',
  tile: 'tiles',
  checkpoint: 'checkpoint',
  proof: 'proof',
  stream: 'log',
  restart: 'seal',
  key: 'seal',
};

const hasLimit = (kind: FaultKind): boolean => !/^(chain|mac)-/.test(kind) || kind === 'mac-missing';

const lineOf = ({ kind, index, stream, revision, id, reason }: LogFault): string => {
  const label = LABELS[kind.slice(0, kind.indexOf('-'))] ?? kind;
  const isAboutCheckpoint = kind.startsWith('checkpoint-');
  const place = [
    index === undefined || isAboutCheckpoint ? [] : [`index ${index}`],
    stream === undefined ? [] : [stream],
    revision === undefined ? [] : [`revision ${revision}`],
    id === undefined ? [] : [`event ${id}`],
  ].flat();
  return `${label}: ${place.length === 0 ? '' : `${place.join(', ')}: `}${reason}`;
};

/** Prints faults as they are found, the first ones of each kind, and counts all of them. An object has `members`, too. */
export const makeFaultPrinter = (options: JsonOption, beforeLine: () => void, members: object = {}) => {
  const counts = new Map<FaultKind, number>();
  return {
    print: (fault: LogFault): void => {
      const { kind, index, stream, revision, id, reason } = fault;
      const count = (counts.get(kind) ?? 0) + 1;
      counts.set(kind, count);
      if (hasLimit(kind) && count > NAMED) return;
      beforeLine();
      const object = {
        ...members,
        ...{ kind, index: index ?? null, stream: stream ?? null },
        ...{ revision: revision?.toString() ?? null, id: id ?? null, reason },
      };
      printFinding(options, lineOf(fault), object);
    },
    counts: (): ReadonlyArray<{ readonly kind: FaultKind; readonly count: number }> =>
      FAULT_KINDS.flatMap((kind) => {
        const count = counts.get(kind);
        return count === undefined ? [] : [{ kind, count }];
      }),
    /** What was found more often than it was named, as text. */
    unnamed: (): ReadonlyArray<string> =>
      [...counts]
        .filter(([kind, count]) => hasLimit(kind) && count > NAMED)
        .map(([kind, count]) => `${kind}: ${count} in all, of which the first ${NAMED} are named`),
  };
};
