import { either as E } from 'fp-ts';
import { canonicalJson } from '../canonical-json.js';
import { newSalt, seal } from '../envelope.js';
import type { EventKey } from '../event-key.js';
import type { AppendRejected, EventStore, StoreUnavailable } from '../event-store.js';
import type { ChainEnd } from '../hash-chain.js';
import type { StreamName } from '../recorded-event.js';
import { makeRetry } from '../retry.js';
import type { Runtime } from '../runtime.js';
import type { DomainEvent } from '../serde.js';
import { DECISION_VERSION } from './decision-events.js';

/** What an operator has decided, as the event that says so. */
type Decision = {
  readonly stream: StreamName;
  readonly event: DomainEvent;
  /** Of a decision by default. */
  readonly schemaVersion?: number;
  readonly actor: string;
  readonly at: Date;
};

/** The end of the stream, where the event is appended, unless it has been recorded before. */
type Recorded = {
  readonly isRecorded: boolean;
  readonly end: ChainEnd;
  /** Of the last event there, which the next one is not before; absent: whatever the clock says. */
  readonly lastAt?: string | undefined;
};

/** For conflicts with other operators who decide at the same moment. */
const RETRY = { attempts: 5, first: 10, longest: 100 };

/**
 * Appends an operator's decision to its stream, or what it has done to a record to that of the record. True when it was recorded now, false when `read` says that it had been
 * before. Throws what `read` and the log throw.
 */
export const recordDecision = async (
  runtime: Runtime,
  store: Pick<EventStore, 'append'>,
  { stream, event, schemaVersion = DECISION_VERSION, actor, at }: Decision,
  read: () => Promise<Recorded>,
  eventKey: EventKey | undefined,
): Promise<E.Either<AppendRejected | StoreUnavailable, boolean>> => {
  const commandId = runtime.random.uuid();
  const command = {
    id: commandId,
    correlationId: commandId,
    causationId: commandId,
    request: canonicalJson(event.data),
  };
  const retry = makeRetry({ runtime, ...RETRY });
  for (;;) {
    const { isRecorded, end, lastAt = '' } = await read();
    if (isRecorded) return E.right(false);
    const { revision, hash: previousHash } = end;
    const now = at.toISOString();
    const envelope = { schemaVersion, actor, at: now > lastAt ? now : lastAt, revision, previousHash };
    const fact = { ...event, ...command, ...envelope, stream };
    const { hash: _hash, ...sealed } = seal(fact, newSalt(runtime.random), eventKey);
    const appended = await store.append(stream, revision === 0n ? 'no-stream' : revision - 1n, [sealed]);
    if (E.isRight(appended)) return E.right(true);
    if (appended.left._tag !== 'RevisionConflict') return E.left(appended.left);
    if (!(await retry.again())) return E.left({ _tag: 'AppendRejected', reason: `others keep appending to ${stream}` });
  }
};
