/** A backup that cannot be made, or one that is not as its manifest says; the message ends a sentence for a person. */
export class BackupFault extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'BackupFault';
  }
}
