import { either as E } from 'fp-ts';
import { orThrow } from '../event-sourcing/attempt.js';
import { canonicalJson, objectIn } from '../event-sourcing/canonical-json.js';
import { Metadata } from '../event-sourcing/envelope.js';
import type { EventKey } from '../event-sourcing/event-key.js';
import type { AppendRejected, EventStore, StoreUnavailable } from '../event-sourcing/event-store.js';
import { SEAL_STREAM, SealRestarted } from '../event-sourcing/operators/decision-events.js';
import { recordDecision } from '../event-sourcing/operators/record-decision.js';
import { endOfDecisions } from '../event-sourcing/operators/read-decisions.js';
import type { StoredEvent } from '../event-sourcing/recorded-event.js';
import type { Runtime } from '../event-sourcing/runtime.js';
import { openNote, signNote } from '../seal/note.js';
import { renamedSigner, renamedVerifier, type Signer, type Verifier } from '../seal/note-key.js';

/** A new origin, the one that it replaces, and why; by whom, and when (RFC 3339). */
export type Restart = {
  readonly origin: string;
  readonly replaced: string;
  readonly reason: string;
  readonly actor: string;
  readonly at: string;
};

/** What is signed. No checkpoint has a second line like that, so neither can be taken for the other. */
const signedText = ({ origin, replaced, ...because }: Restart): string =>
  `${replaced}\nseal restarted as ${origin}\n${canonicalJson(because)}\n`;

/** What an event says of a restart, and whether a key has signed all of it, under the name that it begins. */
export type ToldRestart = { readonly restart: Restart; readonly isBy: (key: Verifier) => boolean };

/** What an event tells; undefined where it is no restart. */
export const restartIn = (event: StoredEvent): ToldRestart | undefined => {
  const [decided, envelope] = [{ type: event.type, data: objectIn(event.data) }, objectIn(event.metadata)];
  if (!SealRestarted.is(decided) || !Metadata.is(envelope)) return undefined;
  const { origin, replaced, reason, note, original } = decided.data;
  const { actor, at } = original ?? envelope;
  const restart: Restart = { origin, replaced, reason, actor, at };
  const isBy = (key: Verifier): boolean => {
    const named = renamedVerifier(key, origin);
    const opened = openNote(Buffer.from(note), named === undefined ? [] : [named]);
    return E.isRight(opened) && opened.right.text === signedText(restart);
  };
  return { restart, isBy };
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
  runtime: Runtime,
  store: Pick<EventStore, 'readStream' | 'append'>,
  restart: Restart,
  signedBy: Signer,
  eventKey: EventKey | undefined,
): Promise<E.Either<AppendRejected | StoreUnavailable, void>> => {
  const { actor, at, ...said } = restart;
  const signer = orThrow(E.mapLeft(Error)(renamedSigner(signedBy, said.origin)));
  const note = orThrow(E.mapLeft(Error)(signNote(signedText(restart), signer)));
  return E.map(() => undefined)(
    await recordDecision(
      runtime,
      store,
      { stream: SEAL_STREAM, event: { type: 'SealRestarted', data: { ...said, note } }, actor, at: new Date(at) },
      async () => ({ isRecorded: false, end: await endOfDecisions(store, SEAL_STREAM) }),
      eventKey,
    ),
  );
};
