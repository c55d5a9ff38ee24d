/** What was asked for cannot be done as things are; the message says what a person can do. */
export class RebuildRefused extends Error {
  readonly _tag = 'RebuildRefused';

  constructor(message: string) {
    super(message);
    this.name = 'RebuildRefused';
  }
}
