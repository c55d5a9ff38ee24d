import type { Command } from 'commander';
import { addRebuild } from './rebuild.js';
import { addRollback } from './rollback.js';
import { addStatus } from './status.js';

/** `ops projections …` */
export const addProjectionCommands = (ops: Command): void => {
  const projections = ops.command('projections').description('the read models: status, rebuild, roll back');
  for (const add of [addStatus, addRebuild, addRollback]) add(projections);
};
