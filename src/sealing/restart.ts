import { either as E } from 'fp-ts';
import * as t from 'io-ts';
import { orThrow } from '../event-sourcing/attempt.js';
import type { EventKey, EventKeys } from '../event-sourcing/event-key.js';
import { macStatusOf } from '../event-sourcing/event-mac.js';
import type { AppendRejected, EventStore, StoreUnavailable } from '../event-sourcing/event-store.js';
import { recordOnce } from '../event-sourcing/record-once.js';
import { type Signer, signerOf } from '../seal/note-key.js';
import { endOfSealStream, SEAL_STREAM, sealDecisions } from '../event-sourcing/whole-log/seal-stream.js';

/** Says that checkpoints have another origin from now on, because the log does not extend those of the one before. */
const SEAL_RESTARTED = 'SealRestarted';

const Restart = t.readonly(t.type({ origin: t.string, reason: t.string, replaced: t.string }));

/** A new origin, the one that it replaces, and why. */
export type Restart = t.TypeOf<typeof Restart>;

const restartIn = (data: string): Restart | undefined => {
  const parsed = E.tryCatch(
    (): unknown => JSON.parse(data),
    () => undefined,
  );
  return E.isRight(parsed) && Restart.is(parsed.right) ? parsed.right : undefined;
};

/**
 * The operators' restarts of the seal, the oldest first. Where there are event keys, only those that one of them has sealed:
 * who can write into the database must not begin another origin. Throws `StoreUnavailable`.
 */
export const findRestarts = async (
  store: Pick<EventStore, 'readStream'>,
  keys: EventKeys,
): Promise<ReadonlyArray<Restart>> => {
  const restarts: Array<Restart> = [];
  for await (const event of sealDecisions(store, SEAL_RESTARTED)) {
    const restart = restartIn(event.data);
    const isOurs = keys.length === 0 || macStatusOf(keys, event) === 'Fits';
    if (restart !== undefined && isOurs) restarts.push(restart);
  }
  return restarts;
};

/** The origin of checkpoints of a service whose first one is `base`. */
export const originAfter = (base: string, restarts: ReadonlyArray<Restart>): string => restarts.at(-1)?.origin ?? base;

/** The secret of `base`, which signs as the origin in force. Throws `StoreUnavailable`. */
export const signerInForce = async (
  { verifier, seed }: Signer,
  store: Pick<EventStore, 'readStream'>,
  keys: EventKeys,
): Promise<Signer> => {
  const origin = originAfter(verifier.name, await findRestarts(store, keys));
  // whoever recorded the origin has made sure that it can be the name of a key
  return orThrow(E.mapLeft(Error)(signerOf(origin, seed)));
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

/** Records a restart in the log. Throws what reading the log throws. */
export const recordRestart = async (
  store: Pick<EventStore, 'readStream' | 'append'>,
  restart: Restart,
  { actor, at }: { readonly actor: string; readonly at: Date },
  eventKey: EventKey | undefined,
): Promise<E.Either<AppendRejected | StoreUnavailable, void>> =>
  E.map(() => undefined)(
    await recordOnce(
      store,
      { stream: SEAL_STREAM, type: SEAL_RESTARTED, data: restart, schemaVersion: 1, actor, at },
      async () => ({ isRecorded: false, end: await endOfSealStream(store) }),
      eventKey,
    ),
  );
