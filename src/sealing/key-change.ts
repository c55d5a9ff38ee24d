import { either as E } from 'fp-ts';
import { orThrow } from '../event-sourcing/attempt.js';
import { canonicalJson, objectIn } from '../event-sourcing/canonical-json.js';
import { Metadata } from '../event-sourcing/envelope.js';
import type { EventKey } from '../event-sourcing/event-key.js';
import type { AppendRejected, EventStore, StoreUnavailable } from '../event-sourcing/event-store.js';
import { CheckpointKeyReplaced, SEAL_STREAM } from '../event-sourcing/operators/decision-events.js';
import { recordDecision } from '../event-sourcing/operators/record-decision.js';
import { endOfDecisions } from '../event-sourcing/operators/read-decisions.js';
import type { StoredEvent } from '../event-sourcing/recorded-event.js';
import type { Runtime } from '../event-sourcing/runtime.js';
import { hashFromBase64 } from '../seal/base64.js';
import type { Checkpoint } from '../seal/checkpoint.js';
import { openNote, signNote } from '../seal/note.js';
import { parseVerifier, renderVerifier, type Signer, type Verifier } from '../seal/note-key.js';

/** Which key signs the checkpoints of an origin in place of which other, and why; by whom, and when (RFC 3339). */
export type KeyChange = {
  readonly replaced: Verifier;
  readonly key: Verifier;
  /** The largest checkpoint of the key that was replaced: beyond it, that key has sealed nothing. */
  readonly last: Checkpoint;
  readonly reason: string;
  readonly actor: string;
  readonly at: string;
  /** Says all of it, and is signed by both keys. */
  readonly note: string;
};

type Unsigned = Omit<KeyChange, 'note'>;

/** What a change says, as its event and commands have it. */
export const keyChangeMembers = ({ replaced, key, last: { origin, size, root }, ...because }: Unsigned) => ({
  origin,
  replaced: renderVerifier(replaced),
  key: renderVerifier(key),
  size,
  root: root.toString('base64'),
  reason: because.reason,
  actor: because.actor,
  at: because.at,
});

/** What is signed (docs/audit-pack.md). No checkpoint has a second line like that, so neither can be taken for the other. */
const signedText = (change: Unsigned): string => {
  const { origin, replaced, key, size, root, ...because } = keyChangeMembers(change);
  const lines = [origin, 'checkpoint key replaced', replaced, key, size, root, canonicalJson(because)];
  return lines.map((line) => `${line}\n`).join('');
};

const isSignedByBoth = ({ note, ...change }: KeyChange): boolean => {
  const opened = openNote(Buffer.from(note), [change.replaced, change.key]);
  return E.isRight(opened) && opened.right.signers.length === 2 && opened.right.text === signedText(change);
};

/** The change that an event is; undefined where the two keys that it names have not signed all that it says. */
export const keyChangeIn = (event: StoredEvent): KeyChange | undefined => {
  const [decided, envelope] = [{ type: event.type, data: objectIn(event.data) }, objectIn(event.metadata)];
  if (!CheckpointKeyReplaced.is(decided) || !Metadata.is(envelope)) return undefined;
  const { origin, size, reason, note } = decided.data;
  const [replaced, key] = [parseVerifier(decided.data.replaced), parseVerifier(decided.data.key)];
  const root = hashFromBase64(decided.data.root);
  if (E.isLeft(replaced) || E.isLeft(key) || root === undefined || !Number.isSafeInteger(size)) return undefined;
  const keys = { replaced: replaced.right, key: key.right };
  if ([keys.replaced, keys.key].some(({ name }) => name !== origin) || keys.replaced.id === keys.key.id)
    return undefined;
  const { actor, at } = envelope;
  const change: KeyChange = { ...keys, last: { origin, size, root }, reason, actor, at, note };
  return isSignedByBoth(change) ? change : undefined;
};

/** Changes of keys as auditors get them, the oldest first: the notes, with an empty line between two. */
export const renderKeyChanges = (changes: ReadonlyArray<KeyChange>): string =>
  changes.map(({ note }) => note).join('\n');

type Replacing = Pick<KeyChange, 'last' | 'reason' | 'actor' | 'at'> & { readonly by: Signer; readonly with: Signer };

/**
 * Signs a change of the key with the secret of the one in force (`by`) and with the new one (`with`), and records it in the
 * log. Throws what reading the log throws.
 */
export const recordKeyChange = async (
  runtime: Runtime,
  store: Pick<EventStore, 'readStream' | 'append'>,
  { by, with: next, last, ...because }: Replacing,
  eventKey: EventKey | undefined,
): Promise<E.Either<AppendRejected | StoreUnavailable, KeyChange>> => {
  const change = { replaced: by.verifier, key: next.verifier, last, ...because };
  const note = orThrow(E.mapLeft(Error)(signNote(signedText(change), by, next)));
  const { actor, at, ...said } = keyChangeMembers(change);
  return E.map(() => ({ ...change, note }))(
    await recordDecision(
      runtime,
      store,
      {
        stream: SEAL_STREAM,
        event: { type: 'CheckpointKeyReplaced', data: { ...said, note } },
        actor,
        at: new Date(at),
      },
      async () => ({ isRecorded: false, end: await endOfDecisions(store, SEAL_STREAM) }),
      eventKey,
    ),
  );
};
