import type { OnEngineEvent } from '../engine-event.js';
import { makeApplyToLedger } from '../ledger/apply-to-ledger.js';
import type { RowStorage, Writer } from '../storage.js';
import { type CacheSize, makeApplyToEntities } from './apply-to-entities.js';
import type { HandOver } from './hand-over.js';
import type { ApplyBatch } from './prepared-batch.js';

type ApplyBatchOptions = {
  readonly onEvent: OnEngineEvent;
  /** Of a read model with a row for each entity: how many of them are kept in memory. */
  readonly size?: CacheSize;
  /** Where commands run in this process. */
  readonly handOver?: HandOver | undefined;
};

/** Applies batches to the rows of a generation. */
export const makeApplyBatch = (storage: RowStorage, writer: Writer, options: ApplyBatchOptions): ApplyBatch => {
  const { projection } = writer;
  if (projection.rowFor === 'entity') {
    const entityWriter = { ...writer, projection };
    return makeApplyToEntities(entityWriter, storage.entityRows(entityWriter), options);
  }
  const ledgerWriter = { ...writer, projection };
  return makeApplyToLedger(ledgerWriter, storage.ledgerRows(ledgerWriter));
};
