import type { Config } from '../../config.js';
import type { Registry } from '../../entities/registry.js';
import { reasonOf } from '../../event-sourcing/reason-of.js';
import type { StreamName } from '../../event-sourcing/recorded-event.js';
import { systemRuntime } from '../../infrastructure/system-runtime.js';
import type { AccessRecord, Read } from '../../read/access/access-record.js';
import { whatWasAsked } from '../../read/access/what-was-asked.js';
import type { ExitCode } from '../exit-code.js';
import { failed, printNote } from '../output.js';

/** What a command is about to hand out. */
type Exported = {
  readonly user: string;
  /** The command, as it is written. */
  readonly operation: string;
  /** Its options by name, of which `undefined` was not given. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly form: string;
  /** Each is a row of its own; undefined: one row, of many records. */
  readonly records?: ReadonlyArray<Read['record']>;
};

/** The record whose history a stream is; undefined of a stream of something else. */
export const recordOf = ({ entities }: Registry, stream: StreamName): Read['record'] => {
  const at = stream.indexOf('-');
  const kind = entities.find(({ projection }) => projection.category === stream.slice(0, at));
  return kind && { entityType: kind.ledgerKind.entityType, entity: stream.slice(at + 1) };
};

/** Its row in the record of reads. */
export const rowOf = ({ user, operation, options, form }: Omit<Exported, 'records'>): Read => {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return { at: systemRuntime.clock.date(), user, operation, what: whatWasAsked(given), form };
};

/**
 * Puts what a command is about to hand out into the record of reads, unless that is switched off, and then does the work.
 * Where the record does not take it, says so, and does nothing where reads are required to be recorded.
 */
export const afterRecording = async (
  { accessRecord }: Pick<Config, 'accessRecord'>,
  add: AccessRecord['add'],
  { records = [undefined], ...exported }: Exported,
  work: () => Promise<ExitCode>,
): Promise<ExitCode> => {
  if (accessRecord === 'off') return work();
  try {
    const row = rowOf(exported);
    await add(records.map((record) => ({ ...row, record })));
  } catch (error) {
    const why = `the record of reads does not take this one: ${reasonOf(error)}`;
    if (accessRecord === 'required') return failed(`nothing was handed out: ${why}`);
    printNote(why);
  }
  return work();
};
