import type { QueryValues } from './parameters/query.js';

/** A request whose answer goes into the record of reads. */
export type RecordedRequest = {
  /** Undefined where it is of many records. */
  readonly entityType: string | undefined;
  /** Undefined where the type of the answer says it. */
  readonly form: 'file' | undefined;
  /** The parameters that its operation knows: a name that a client makes up may be anything. */
  readonly known: ReadonlyArray<string>;
  readonly values: QueryValues;
};
