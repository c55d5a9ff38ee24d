const WAY_OUT =
  'Connect the log that these read models were made from. If this log is the right one, they are of no more use: ' +
  'stop every process of the service, run `drop schema read_model cascade` in their database, start again, and they ' +
  'are made anew from the log.';

/** The read model cannot go on from where it stands; only a person can say which of log and read model is right. */
export class ProjectionRefused extends Error {
  readonly _tag = 'ProjectionRefused';

  constructor(reason: string, cause?: unknown) {
    super(`${reason}. ${WAY_OUT}`, { cause });
    this.name = 'ProjectionRefused';
  }

  static otherLog(projection: string, recorded: string, connected: string): ProjectionRefused {
    return new ProjectionRefused(
      `The read model "${projection}" was made from the log ${recorded}, but the log ${connected} is connected`,
    );
  }

  static notInLog(projection: string, what: string, cause?: unknown): ProjectionRefused {
    return new ProjectionRefused(`The read model "${projection}" has seen ${what}, which is not in the log`, cause);
  }
}
