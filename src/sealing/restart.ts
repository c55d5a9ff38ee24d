import { either as E } from 'fp-ts';
import { orThrow } from '../event-sourcing/attempt.js';
import { canonicalJson, objectIn } from '../event-sourcing/canonical-json.js';
import { Metadata } from '../event-sourcing/envelope.js';
import type { EventKey } from '../event-sourcing/event-key.js';
import type { AppendRejected, EventStore, StoreUnavailable } from '../event-sourcing/event-store.js';
import { SEAL_STREAM, SealRestarted } from '../event-sourcing/operators/decision-events.js';
import { recordDecision } from '../event-sourcing/operators/record-decision.js';
import { endOfDecisions, readSealDecisions } from '../event-sourcing/operators/read-decisions.js';
import type { StoredEvent } from '../event-sourcing/recorded-event.js';
import { openNote, signNote } from '../seal/note.js';
import { renamedVerifier, type Signer, signerOf, type Verifier } from '../seal/note-key.js';
import type { FindVerifier } from './kept-checkpoint.js';

/** A new origin, the one that it replaces, and why; by whom, and when (RFC 3339). */
export type Restart = {
  readonly origin: string;
  readonly replaced: string;
  readonly reason: string;
  readonly actor: string;
  readonly at: string;
};

export type Restarts = {
  /** Those that are in force, the oldest first. */
  readonly valid: ReadonlyArray<Restart>;
  /** Events that say that they are one, and that the key of the checkpoints has not signed. */
  readonly unsigned: ReadonlyArray<StoredEvent>;
};

/** What is signed. No checkpoint has a second line like that, so neither can be taken for the other. */
const signedText = ({ origin, replaced, ...because }: Restart): string =>
  `${replaced}\nseal restarted as ${origin}\n${canonicalJson(because)}\n`;

/** The restart that an event is; undefined where the key of its origin has not signed all that it says. */
const signedRestart = (event: StoredEvent, findVerifier: FindVerifier): Restart | undefined => {
  const [decided, envelope] = [{ type: event.type, data: objectIn(event.data) }, objectIn(event.metadata)];
  if (!SealRestarted.is(decided) || !Metadata.is(envelope)) return undefined;
  const { origin, replaced, reason, note, original } = decided.data;
  const { actor, at } = original ?? envelope;
  const restart: Restart = { origin, replaced, reason, actor, at };
  const verifier = findVerifier(origin);
  const opened = openNote(Buffer.from(note), verifier === undefined ? [] : [verifier]);
  return E.isRight(opened) && opened.right.text === signedText(restart) ? restart : undefined;
};

/**
 * The operators' restarts of the seal of a log whose first origin is `base`. One counts when the key of the checkpoints has
 * signed it and it replaces the origin in force: whoever can write into the database, also with the key of the events, can
 * begin no other origin. Throws `StoreUnavailable`.
 */
export const findRestarts = async (
  store: Pick<EventStore, 'readStream'>,
  base: string,
  findVerifier: FindVerifier,
): Promise<Restarts> => {
  const valid: Array<Restart> = [];
  const unsigned: Array<StoredEvent> = [];
  for await (const event of readSealDecisions(store, 'SealRestarted')) {
    const restart = signedRestart(event, findVerifier);
    if (restart === undefined) unsigned.push(event);
    else if (restart.replaced === originAfter(base, valid)) valid.push(restart);
  }
  return { valid, unsigned };
};

/** The origin of checkpoints of a service whose first one is `base`. */
export const originAfter = (base: string, restarts: ReadonlyArray<Restart>): string => restarts.at(-1)?.origin ?? base;

/** The verifier keys of one public key under all names: a key signs under the name of each origin that it begins. */
export const underAnyName =
  (key: Verifier): FindVerifier =>
  (origin) =>
    renamedVerifier(key, origin);

/** The secret of `base`, which signs as the origin in force. Throws `StoreUnavailable`. */
export const signerInForce = async (base: Signer, store: Pick<EventStore, 'readStream'>): Promise<Signer> => {
  const { name } = base.verifier;
  const { valid } = await findRestarts(store, name, underAnyName(base.verifier));
  // whoever recorded the origin has made sure that it can be the name of a key
  return orThrow(E.mapLeft(Error)(signerOf(originAfter(name, valid), base.seed)));
};

/** A new name below `base`, of which there are no checkpoints. */
export const nextOrigin = async (
  base: string,
  restarts: ReadonlyArray<Restart>,
  isTaken: (origin: string) => Promise<boolean>,
): Promise<string> => {
  for (let number = restarts.length + 2; ; number += 1) {
    const origin = `${base}/${number}`;
    if (!restarts.some((restart) => restart.origin === origin) && !(await isTaken(origin))) return origin;
  }
};

/** Signs a restart with the secret of the checkpoints, and records it in the log. Throws what reading the log throws. */
export const recordRestart = async (
  store: Pick<EventStore, 'readStream' | 'append'>,
  restart: Restart,
  { seed }: Pick<Signer, 'seed'>,
  eventKey: EventKey | undefined,
): Promise<E.Either<AppendRejected | StoreUnavailable, void>> => {
  const { actor, at, ...said } = restart;
  const signer = orThrow(E.mapLeft(Error)(signerOf(said.origin, seed)));
  const note = orThrow(E.mapLeft(Error)(signNote(signedText(restart), signer)));
  return E.map(() => undefined)(
    await recordDecision(
      store,
      { stream: SEAL_STREAM, event: { type: 'SealRestarted', data: { ...said, note } }, actor, at: new Date(at) },
      async () => ({ isRecorded: false, end: await endOfDecisions(store, SEAL_STREAM) }),
      eventKey,
    ),
  );
};
