import { pipeline, type Readable, Transform, type TransformCallback } from 'node:stream';
import { type ExpectedContent, FileCheck, type FileDifference } from '../../../read/file-check.js';

type OnDifference = (difference: FileDifference) => void;

class Checked extends Transform {
  readonly #check: FileCheck;
  readonly #onDifference: OnDifference;
  /** The newest piece: the last one must not go out before all of them are known to be right. */
  #held: Buffer | undefined;

  constructor(expected: ExpectedContent, onDifference: OnDifference) {
    super();
    this.#check = new FileCheck(expected);
    this.#onDifference = onDifference;
  }

  override _transform(piece: Buffer, _encoding: BufferEncoding, next: TransformCallback): void {
    const before = this.#held;
    this.#held = piece;
    this.#pass(before, this.#check.add(piece), next);
  }

  override _flush(next: TransformCallback): void {
    this.#pass(this.#held, this.#check.end(), next);
  }

  #pass(piece: Buffer | undefined, difference: FileDifference | undefined, next: TransformCallback): void {
    if (difference === undefined) {
      next(null, piece);
      return;
    }
    this.#onDifference(difference);
    next(new Error(`the file is not the one that its event names: ${difference.reason}`));
  }
}

/**
 * The body, checked while it is read: it fails in place of its last piece unless it is what was expected, so that nobody
 * gets all of another file. `onDifference` is called before it fails for that reason, and for no other.
 */
export const checkedStream = (body: Readable, expected: ExpectedContent, onDifference: OnDifference): Readable =>
  pipeline(body, new Checked(expected, onDifference), () => undefined);
