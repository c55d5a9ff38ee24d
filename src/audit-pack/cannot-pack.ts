/** A pack of these records cannot be made, or not now: the message says why, in a sentence. */
export class CannotPack extends Error {
  readonly _tag = 'CannotPack';
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'CannotPack';
  }
}
