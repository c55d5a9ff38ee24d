import type { BegunErasure } from '../erasure/erasure-decisions.js';
import type { Stray } from '../event-store.js';
import type { BrokenLink } from '../hash-chain.js';
import type { Revision, StoredEvent, StreamName } from '../recorded-event.js';
import type { MacFault } from './mac-verifier.js';

/** What can be wrong with a log and what is kept of it. Scripts read these words: they are never renamed. */
export const FAULT_KINDS = [
  /** The event does not fit the hash chain of its stream. */
  'chain-broken',
  'mac-missing',
  'mac-mismatch',
  'mac-unknown-key',
  /** The data of the event and its salt were taken out of the log, and no erasure names it. */
  'data-missing',
  /** An erasure names the event, and its data is there. */
  'not-erased',
  /** An erasure was begun, and not every record that it names says that it is erased. */
  'erasure-unfinished',
  /** The log has another event at this place of the stream than the ledger. */
  'event-changed',
  /** The ledger has it, the log does not. */
  'event-removed',
  /** The log has it, the ledger does not. */
  'event-inserted',
  /** Log and ledger have it at different places. */
  'event-moved',
  /** It stands beside the log, where nobody who reads the whole log sees it. */
  'event-outside',
  /** The log ends before the ledger does. */
  'end-cut',
  'ledger-changed',
  'ledger-missing',
  'ledger-surplus',
  'tile-changed',
  'tile-missing',
  'checkpoint-unknown-key',
  'checkpoint-invalid',
  /** The events that it was signed over are not those of the log. */
  'checkpoint-differs',
  'checkpoint-beyond-log',
  /** It is kept outside of Postgres, and not in Postgres. */
  'checkpoint-missing',
  /** Postgres has noted that it was put into the file storage, and it is not there any more. */
  'checkpoint-removed',
  'proof-differs',
  /** The store hides events of the stream from who reads it. */
  'stream-truncated',
  /** An event says that the seal was restarted, and no key of the service has signed that. */
  'restart-unsigned',
  /** An event says that the key of the checkpoints was replaced, and that key has not signed it, or was not in force. */
  'key-change-unsigned',
  /** It stands where operators' decisions are kept, and is none that this program can read. */
  'decision-unreadable',
  /** It says that events behind itself may have no `mac`, which nobody can vouch for. */
  'decision-ahead',
] as const;

export type FaultKind = (typeof FAULT_KINDS)[number];

export type LogFault = {
  readonly kind: FaultKind;
  /** Place among the events of the ledger, from 0. */
  readonly index?: number;
  readonly stream?: string;
  readonly revision?: bigint;
  readonly id?: string;
  /** Ends a sentence that begins with the place. */
  readonly reason: string;
};

export type OnLogFault = (fault: LogFault) => void;

const placeOf = ({ stream, revision, id }: Pick<StoredEvent, 'stream' | 'revision' | 'id'>) => ({
  stream,
  revision,
  id,
});

const at = (index: number | undefined): Pick<LogFault, 'index'> => (index === undefined ? {} : { index });

/** Of a decision about origin or key of the checkpoints that their keys have not signed. */
export const unsignedFault = (event: StoredEvent): LogFault =>
  event.type === 'SealRestarted'
    ? {
        kind: 'restart-unsigned',
        ...placeOf(event),
        reason: 'the event says that the seal was restarted, and no key of this service has signed that',
      }
    : {
        kind: 'key-change-unsigned',
        ...placeOf(event),
        reason: 'the event says that the key of the checkpoints was replaced, and the key in force has not signed that',
      };

export const unreadableFault = (event: StoredEvent, index?: number): LogFault => ({
  kind: 'decision-unreadable',
  ...at(index),
  ...placeOf(event),
  reason:
    'the event cannot be read as a decision of operators: made up, unless a newer version of the program has recorded it',
});

/** Of a decision that says which events may have no `mac`: those before `from`. */
export const vouchingFault = (event: StoredEvent, from: number, index?: number): LogFault => ({
  kind: 'decision-ahead',
  ...at(index),
  ...placeOf(event),
  reason: `the event says that those before index ${from} may have no mac, also those behind itself, of which nobody could know: for these it does not count`,
});

export const strayFault = ({ stream, revision, id, position }: Stray): LogFault => ({
  kind: 'event-outside',
  ...{ stream, revision, id },
  reason: `a row at position ${position} is beside the log: no program of this service has put it there`,
});

/** Of a stream that is shown from a revision on, or not at all. */
export const truncationFault = (stream: StreamName, first: Revision | undefined): LogFault => ({
  kind: 'stream-truncated',
  stream,
  reason:
    first === undefined
      ? 'the stream was deleted in the store: its history is not shown any more, and what the log still has of it can be removed'
      : `the stream was cut in the store before revision ${first}: the events before it are not shown any more, and can be removed from the log`,
});

export const chainFault = ({ event, reason }: BrokenLink, index?: number): LogFault => ({
  kind: 'chain-broken',
  ...at(index),
  ...placeOf(event),
  reason,
});

/** Of an event whose data was taken out together with its salt: its chain is intact. */
export const dataFault = (event: StoredEvent, index?: number): LogFault => ({
  kind: 'data-missing',
  ...at(index),
  ...placeOf(event),
  reason: 'the data of the event and its salt were taken out of the log, and no erasure is recorded',
});

/** Of an event that can be read although its stream says that it was erased, by an event at the revision `by`. */
export const notErasedFault = (event: StoredEvent, by: Revision): LogFault => ({
  kind: 'not-erased',
  ...placeOf(event),
  reason: `recorded as erased by revision ${by}, and still readable`,
});

/** Of a decision to erase that was not carried out to its end. */
export const unfinishedFault = ({ metadata, ...begun }: BegunErasure): LogFault => ({
  kind: 'erasure-unfinished',
  ...placeOf(begun),
  reason: `an erasure was begun at ${metadata.at} by ${metadata.actor}, and has not ended: run \`ops erase run\` again`,
});

const MAC_FAULTS = {
  MacMismatch: ['mac-mismatch', 'mac does not fit'],
  UnknownKey: ['mac-unknown-key', 'mac is of an unknown key'],
  MacMissing: ['mac-missing', 'mac is missing'],
} as const;

export const macFault = ({ _tag, event }: MacFault, index?: number): LogFault => {
  const [kind, reason] = MAC_FAULTS[_tag];
  return { kind, ...at(index), ...placeOf(event), reason };
};
