import type { RunStatement } from '../../../src/postgres/statement.js';
import type { OnEngineEvent } from '../engine-event.js';
import { makeApplyToLedger } from '../ledger/apply-to-ledger.js';
import { type CacheSize, makeApplyToEntities } from './apply-to-entities.js';
import type { HandOver } from './hand-over.js';
import type { ApplyBatch } from './prepared-batch.js';
import type { Writer } from './write-batch.js';

type ApplyBatchOptions = {
  readonly onEvent: OnEngineEvent;
  /** Of a read model with a row for each entity: how many of them are kept in memory. */
  readonly size?: CacheSize;
  /** Where commands run in this process. */
  readonly handOver?: HandOver | undefined;
};

/** Applies batches by `run`, whose statements must all go to the database of the generation. */
export const makeApplyBatch = (writer: Writer, run: RunStatement, options: ApplyBatchOptions): ApplyBatch => {
  const { projection } = writer;
  return projection.rowFor === 'entity'
    ? makeApplyToEntities({ ...writer, projection }, run, options)
    : makeApplyToLedger({ ...writer, projection }, run);
};
