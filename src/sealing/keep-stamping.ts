import { either as E } from 'fp-ts';
import type { Runtime } from '../event-sourcing/runtime.js';
import type { SignedCheckpoint } from '../read/sealed-tree.js';
import { timeInAnswer, timestampRequest } from './timestamp.js';

/** How often at most a checkpoint is stamped, ms. */
const STAMP_EVERY_MS = 3_600_000;

const NONCE_BYTES = 8;

export type StampingEvent =
  | { readonly _tag: 'Stamped'; readonly checkpoint: SignedCheckpoint; readonly time: string }
  | { readonly _tag: 'NotStamped'; readonly cause: unknown };

type StampingDeps = {
  readonly runtime: Runtime;
  /** Posts a request and gives the answer; rejects where there is no short one in time. */
  readonly post: (request: Buffer) => Promise<Buffer>;
  /** Keeps an answer beside its checkpoint. */
  readonly keep: (checkpoint: SignedCheckpoint, answer: Buffer) => Promise<void>;
  readonly onEvent: (event: StampingEvent) => void;
};

export type Stamping = {
  /** Tells of a checkpoint that was put into the storage. */
  readonly offer: (checkpoint: SignedCheckpoint) => void;
  /** Resolves when nothing is under way any more. */
  readonly stop: () => Promise<void>;
};

/**
 * Has checkpoints stamped by a time stamping authority: one that was archived, at most every hour. Nothing waits for it; what fails is tried again
 * with the next checkpoint.
 */
export const keepStamping = ({ runtime: { clock, random }, post, keep, onEvent }: StampingDeps): Stamping => {
  let stampedAt = -Infinity;
  let underWay: Promise<void> | undefined;
  let isStopping = false;

  const stamp = async (checkpoint: SignedCheckpoint): Promise<void> => {
    try {
      const nonce = random.bytes(NONCE_BYTES);
      const answer = await post(timestampRequest(checkpoint.note, nonce));
      const time = timeInAnswer(answer, checkpoint.note, nonce);
      if (E.isLeft(time)) throw new Error(time.left);
      await keep(checkpoint, answer);
      stampedAt = clock.monotonic();
      onEvent({ _tag: 'Stamped', checkpoint, time: time.right });
    } catch (cause) {
      if (!isStopping) onEvent({ _tag: 'NotStamped', cause });
    }
    underWay = undefined;
  };

  return {
    offer: (checkpoint) => {
      if (!isStopping && clock.monotonic() - stampedAt >= STAMP_EVERY_MS) underWay ??= stamp(checkpoint);
    },
    stop: async () => {
      isStopping = true;
      await underWay;
    },
  };
};
