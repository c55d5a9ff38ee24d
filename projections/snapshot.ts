import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import type { Position, Revision } from '../src/event-sourcing/recorded-event.js';

/** What the next event of a stream needs to know of those before it, beside the state that they make. */
export type StreamSummary = {
  /** `hash` and `at` of the last event. */
  readonly lastHash: string;
  readonly lastAt: string;
  /** Whether a command with an `Idempotency-Key` is among them. */
  readonly hasKeyedCommands: boolean;
};

type SignedRow = {
  readonly id: string;
  readonly creationPosition: Position;
  readonly revision: Revision;
  readonly body: string | null;
  readonly hidden: string | null;
};

/** A row that this service has signed as it is. */
export type TrustedRow = SignedRow & { readonly body: string; readonly summary: StreamSummary };

export type FindTrustedRow = (id: string) => Promise<TrustedRow | undefined>;

/**
 * Signs rows, so that a command may take a row for the fold of its stream: what it decides is appended to the log, and
 * the database may have been altered. The text goes into the column `snapshot`.
 */
export type Snapshots = {
  readonly sign: (row: SignedRow, summary: StreamSummary) => string;
  /** Undefined when this very row was not signed with this key by a program of this version. */
  readonly verify: (row: SignedRow, snapshot: string) => StreamSummary | undefined;
};

const SNAPSHOT = /^([0-9a-f]{64}) (\S{1,64}) ([k-]) ([\w-]{43})$/;

// no part but the last two can hold a line break: they are JSON texts
const signedText = ({ id, creationPosition, revision, body, hidden }: SignedRow, summary: string): string =>
  `${id}\n${creationPosition}\n${revision}\n${summary}\n${hidden ?? ''}\n${body ?? ''}`;

const summaryText = ({ lastHash, lastAt, hasKeyedCommands }: StreamSummary): string =>
  `${lastHash} ${lastAt} ${hasKeyedCommands ? 'k' : '-'}`;

/**
 * Signs with HMAC-SHA256 (RFC 2104). `key` is known to the processes of one service and not to the database; `version`
 * is that of the projection (`versionOf`), because another one may read the same text as another state.
 */
export const makeSnapshots = (key: string, version: string): Snapshots => {
  const secret = createSecretKey(key, 'utf8');
  const digestOf = (row: SignedRow, summary: string): string =>
    createHmac('sha256', secret)
      .update(`${version}\n${signedText(row, summary)}`)
      .digest('base64url');

  return {
    sign: (row, summary) => {
      const text = summaryText(summary);
      return `${text} ${digestOf(row, text)}`;
    },
    verify: (row, snapshot) => {
      const [, lastHash, lastAt, keys, digest] = SNAPSHOT.exec(snapshot) ?? [];
      if (lastHash === undefined || lastAt === undefined || digest === undefined) return undefined;
      const summary = { lastHash, lastAt, hasKeyedCommands: keys === 'k' };
      const expected = digestOf(row, summaryText(summary));
      return timingSafeEqual(Buffer.from(expected), Buffer.from(digest)) ? summary : undefined;
    },
  };
};
