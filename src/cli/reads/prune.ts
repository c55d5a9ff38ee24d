import { pruneReads } from '../../infrastructure/postgres/access/prune-reads.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { type JsonOption, printFinding } from '../output.js';
import { counted } from '../plural.js';
import type { ReadModels } from '../projections/with-read-models.js';
import type { UserOption } from '../user-option.js';
import { rowOf } from './record-export.js';

export type PruneOptions = JsonOption & UserOption & { readonly before: Date };

/** `ops reads prune`, which says in the record that rows were removed, also where reads are not recorded. */
export const prune = async (
  { pool }: ReadModels,
  { before: time, user, ...options }: PruneOptions,
): Promise<ExitCode> => {
  const before = time.toISOString();
  const row = rowOf({ user, operation: 'ops reads prune', options: { before }, form: '' });
  const removed = await pruneReads(pool, time, row);
  printFinding(options, `removed ${counted(removed, 'read')} before ${before}`, { before, removed });
  return EXIT.ok;
};
