import { either as E } from 'fp-ts';
import type { Clock } from '../event-sourcing/clock.js';
import { reasonOf } from '../event-sourcing/reason-of.js';
import type { SignedCheckpoint } from '../read/sealed-tree.js';
import { askWitness, type PostText, type ProveFrom } from './ask-witness.js';
import type { PolicyWitness, WitnessPolicy } from './witness-policy.js';

/** How long a checkpoint may lack its quorum before that is a warning, and before it is handed out without, ms. */
export const QUORUM_TIMEOUT_MS = 60_000;

/** How often at most witnesses are asked, and, where they do not suffice, when they are asked again at the latest, ms. */
const INTERVALS = { ask: 2_000, again: 60_000 };

/** Why a witness has not cosigned, by its name. */
type Refusals = ReadonlyArray<{ readonly witness: string; readonly reason: string }>;

export type CosigningEvent =
  | { readonly _tag: 'Cosigned'; readonly checkpoint: SignedCheckpoint; readonly witnesses: number }
  /** Reported once, until a quorum is reached again, and when other witnesses refuse. */
  | { readonly _tag: 'NoQuorum'; readonly checkpoint: SignedCheckpoint; readonly refusals: Refusals }
  /** There is a quorum again, after there was none. */
  | { readonly _tag: 'QuorumAgain'; readonly checkpoint: SignedCheckpoint }
  /** What was cosigned could not be recorded. */
  | { readonly _tag: 'NotRecorded'; readonly cause: unknown };

type CosigningDeps = {
  readonly clock: Clock;
  readonly policy: WitnessPolicy;
  readonly post: PostText;
  /** Proofs in the tree that the checkpoint is of. */
  readonly proveIn: (checkpoint: SignedCheckpoint) => ProveFrom;
  /** The largest cosigned checkpoint of an origin. */
  readonly largestOf: (origin: string) => Promise<SignedCheckpoint | undefined>;
  readonly record: (checkpoint: SignedCheckpoint) => Promise<void>;
  readonly onEvent: (event: CosigningEvent) => void;
};

export type Cosigning = {
  /** Tells of a checkpoint that was signed. */
  readonly offer: (checkpoint: SignedCheckpoint) => void;
  /** What is to be kept elsewhere for this checkpoint: the cosigned one, unless witnesses have not sufficed for a minute. */
  readonly toArchive: (checkpoint: SignedCheckpoint) => SignedCheckpoint | undefined;
  /** Whether a checkpoint has lacked its quorum for a minute. */
  readonly isLate: () => boolean;
  /** Asks no more. */
  readonly stop: () => Promise<void>;
};

/**
 * Has checkpoints cosigned by witnesses, beside their signing, which never waits for it: the newest one, at most every two
 * seconds, all witnesses at once. Where too few cosign, it goes on trying, less and less often.
 */
export const keepCosigning = (deps: CosigningDeps): Cosigning => {
  const { clock, policy, post, proveIn, largestOf, record, onEvent } = deps;
  const stopping = new AbortController();
  const asked = policy.witnesses.flatMap((witness) =>
    witness.url === undefined ? [] : [{ ...witness, url: witness.url }],
  );
  /** What each witness remembers, as far as it is known, of this origin. */
  const remembered = new Map<string, number>();
  let newest: SignedCheckpoint | undefined;
  let cosigned: SignedCheckpoint | undefined;
  /** Since when there are checkpoints without a quorum; undefined: there are none. */
  let lackingSince: number | undefined;
  let reported = '';

  const cosign = async (
    witness: PolicyWitness & { readonly url: string },
    checkpoint: SignedCheckpoint,
  ): Promise<E.Either<string, string>> => {
    const key = `${witness.name} ${checkpoint.origin}`;
    try {
      const answer = await askWitness(post, witness, checkpoint, proveIn(checkpoint), remembered.get(key) ?? 0);
      if (E.isLeft(answer)) {
        remembered.delete(key);
        return answer;
      }
      remembered.set(key, checkpoint.size);
      return E.right(answer.right.line);
    } catch (error) {
      return E.left(reasonOf(error));
    }
  };

  const report = (checkpoint: SignedCheckpoint, refusals: Refusals): void => {
    const words = JSON.stringify(refusals.map(({ witness }) => witness));
    if (words !== reported) onEvent({ _tag: 'NoQuorum', checkpoint, refusals });
    reported = words;
  };

  /** Whether the newest checkpoint has its quorum. */
  const round = async (checkpoint: SignedCheckpoint): Promise<boolean> => {
    if (cosigned?.origin !== checkpoint.origin) cosigned = await largestOf(checkpoint.origin);
    if (cosigned !== undefined && cosigned.size >= checkpoint.size) return true;
    const answers = await Promise.all(asked.map((witness) => cosign(witness, checkpoint)));
    if (stopping.signal.aborted) return false;
    const names = new Set(asked.filter((_, at) => answers[at]?._tag === 'Right').map(({ name }) => name));
    const refusals = asked.flatMap(({ name: witness }, at) => {
      const answer = answers[at];
      return answer?._tag === 'Left' ? [{ witness, reason: answer.left }] : [];
    });
    if (!policy.isQuorum(names)) {
      report(checkpoint, refusals);
      return false;
    }
    const lines = answers.flatMap((answer) => (answer._tag === 'Right' ? [answer.right] : []));
    const whole = { ...checkpoint, note: `${checkpoint.note}${lines.join('')}` };
    await record(whole);
    cosigned = whole;
    if (reported !== '') onEvent({ _tag: 'QuorumAgain', checkpoint: whole });
    reported = '';
    onEvent({ _tag: 'Cosigned', checkpoint: whole, witnesses: names.size });
    return true;
  };

  const attempted = async (checkpoint: SignedCheckpoint): Promise<boolean> => {
    try {
      return await round(checkpoint);
    } catch (cause) {
      onEvent({ _tag: 'NotRecorded', cause });
      return false;
    }
  };

  const run = async (): Promise<void> => {
    let wait = INTERVALS.ask;
    while (await clock.sleep(wait, stopping.signal)) {
      const checkpoint = newest;
      if (checkpoint === undefined) continue;
      const isDone = await attempted(checkpoint);
      wait = isDone ? INTERVALS.ask : Math.min(2 * wait, INTERVALS.again);
      if (isDone) lackingSince = newest === checkpoint ? undefined : clock.monotonic();
    }
  };
  const running = run();

  const isLate = (): boolean => lackingSince !== undefined && clock.monotonic() - lackingSince >= QUORUM_TIMEOUT_MS;

  return {
    offer: (checkpoint) => {
      newest = checkpoint;
      lackingSince ??= clock.monotonic();
    },
    toArchive: (checkpoint) => (isLate() ? checkpoint : cosigned?.origin === checkpoint.origin ? cosigned : undefined),
    isLate,
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
};
