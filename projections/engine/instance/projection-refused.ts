const OF_OTHER_LOG = (projection: string): string =>
  `If this log is the right one, \`npm run -s ops -- projections rebuild ${projection} --from-other-log\` makes them ` +
  'anew from it; running services take them up by themselves.';

const OF_OTHER_PAST = (projection: string): string =>
  'The log was restored from an earlier backup, or replaced. Connect the log that the rows were made from; or, if this ' +
  `is the right one, \`npm run -s ops -- projections rebuild ${projection} --from-scratch\` makes them anew from it; ` +
  'running services take them up by themselves.';

/** How the log is not the one that the rows were made from: by name, or by what it holds. */
type Mismatch = 'OtherLog' | 'OtherPast';

/**
 * The rows are not of the log that is connected, so nothing may read or write them; only a person can say which of the
 * two is right. `reason` says what is wrong, the message also what to do.
 */
export class ProjectionRefused extends Error {
  readonly _tag = 'ProjectionRefused';
  readonly mismatch: Mismatch;
  readonly reason: string;

  private constructor(mismatch: Mismatch, reason: string, wayOut: string) {
    super(`${reason}. ${wayOut}`);
    this.name = 'ProjectionRefused';
    this.mismatch = mismatch;
    this.reason = reason;
  }

  static otherLog(projection: string, recorded: string, connected: string): ProjectionRefused {
    const reason = `The read model "${projection}" was made from the log ${recorded}, but the log ${connected} is connected`;
    return new ProjectionRefused('OtherLog', reason, `Connect that log. ${OF_OTHER_LOG(projection)}`);
  }

  static notInLog(projection: string, what: string): ProjectionRefused {
    const reason = `The read model "${projection}" has seen ${what}, which is not in the log`;
    return new ProjectionRefused('OtherPast', reason, OF_OTHER_PAST(projection));
  }
}
