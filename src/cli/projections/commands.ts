import type { Command } from 'commander';
import type { Registry } from '../../entities/registry.js';
import { addParked } from './parked.js';
import { addRebuild } from './rebuild.js';
import { addRollback } from './rollback.js';
import { addStatus } from './status.js';
import { addVerifyRows } from './verify.js';

/** `ops projections …` */
export const addProjectionCommands = (ops: Command, registry: Registry): void => {
  const projections = ops
    .command('projections')
    .description('the read models: status, verify, parked entities, rebuild, roll back');
  for (const add of [addStatus, addVerifyRows, addParked, addRebuild, addRollback]) add(projections, registry);
};
